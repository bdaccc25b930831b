/// A member's name as objects look for it: names that Unicode calls equivalent are one.
///
/// Whether two texts are equivalent takes time that grows with the square of a run of combining
/// marks, so longer names are told apart by their bytes alone. The strict reader takes only those
/// in ASCII, which none of the names that it takes is equivalent to.
struct MemberName: Hashable {
    /// The longest name, in UTF-8 bytes, that is compared with others by Unicode's equivalence.
    static let longestCompared = 256

    private let text: String

    /// Made once: a growing dictionary hashes its keys again and again.
    private let digest: Int

    init(_ text: String) {
        self.text = text
        var hasher = Hasher()
        if Self.isCompared(text) {
            hasher.combine(text)
        } else {
            text.hashBytes(into: &hasher)
        }
        digest = hasher.finalize()
    }

    private static func isCompared(_ text: String) -> Bool { text.utf8.count <= longestCompared }

    static func == (one: MemberName, other: MemberName) -> Bool {
        guard one.digest == other.digest else { return false }
        return isCompared(one.text) && isCompared(other.text)
            ? one.text == other.text : one.text.hasSameBytes(as: other.text)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

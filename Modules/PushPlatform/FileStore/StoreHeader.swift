import PushCore

/// The store's header: which format, and which keys.
///
/// ```text
/// push-auth file store 1
/// key 0123456789abcdef <check value>
/// next fedcba9876543210 <check value>     while a rotation is unfinished
/// sum <SHA-256 of all lines above>
/// ```
struct StoreHeader: Equatable {
    struct Key: Equatable {
        let id: String
        let check: [UInt8]
    }

    private static let lines = SummedLines(title: "push-auth file store ", format: 1)

    /// The key that records are sealed with.
    let key: Key
    /// The key that a rotation seals them with.
    let next: Key?

    var text: String {
        Self.lines.text([words("key", key)] + (next.map { [words("next", $0)] } ?? []))
    }

    private func words(_ word: String, _ key: Key) -> [String] {
        [word, key.id, Bytes.base64URL(key.check)]
    }

    init(key: Key, next: Key? = nil) {
        self.key = key
        self.next = next
    }

    init(_ key: StoreKeys, next: StoreKeys? = nil) throws(PushError) {
        let ids = [key.id] + (next.map { [$0.id] } ?? [])
        self.key = Key(id: key.id, check: try key.checkValue(among: ids))
        self.next = try next.map { (keys) throws(PushError) in
            Key(id: keys.id, check: try keys.checkValue(among: ids))
        }
    }

    /// All keys' identifiers, which each check value is bound to: lines that were swapped or left out
    /// are found.
    var ids: [String] { [key.id] + (next.map { [$0.id] } ?? []) }

    /// - Throws: `PushError` with the code `storage` if it is damaged or of a newer format.
    init(reading bytes: [UInt8], at path: String) throws(PushError) {
        let damaged = PushError(
            .storage,
            "The store's header \(path) is damaged. Put it back from a backup, or make a new store "
                + "under the same key elsewhere and copy that header here.")
        let words: [[Substring]]
        switch Self.lines.read(bytes) {
        case .whole(let found): words = found
        case .damaged: throw damaged
        case .newer(let version):
            throw PushError(
                .storage,
                "The store has format \(version); this version understands \(Self.lines.format). "
                    + "Nothing was changed: open it with the newer version.")
        }
        guard (1...2).contains(words.count), let key = Self.key("key", words[0]) else {
            throw damaged
        }
        let next = words.count == 2 ? Self.key("next", words[1]) : nil
        guard words.count == 1 || next != nil else { throw damaged }
        self.init(key: key, next: next)
    }

    private static func key(_ word: String, _ words: [Substring]) -> Key? {
        guard words.count == 3, words[0] == word, words[1].utf8.count == 16,
            let check = Bytes.base64URL(reading: words[2])
        else { return nil }
        return Key(id: String(words[1]), check: check)
    }
}

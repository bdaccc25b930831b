/// The members of an object that was made, not read, in order, each name once.
struct JSONMembers: Sendable {
    /// The members in order, and, once there is an index, holes: members that were removed.
    private var slots: [JSON.Object.Member] = []

    /// The slot of each member, once a linear search would cost more, or a name isn't ASCII.
    private var index: [MemberName: Int]?

    private static let linearSearchLimit = 16

    /// Room for this many members at once spares a small object from being moved as it grows.
    private static let usualCount = 8

    var all: [JSON.Object.Member] {
        guard let index, index.count < slots.count else { return slots }
        return slots.indices.compactMap { slot in
            index[MemberName(slots[slot].name)] == slot ? slots[slot] : nil
        }
    }

    var count: Int { index?.count ?? slots.count }

    /// See ``JSON/Object/subscript(_:)``.
    subscript(name: String) -> JSON? {
        get {
            guard let slot = slot(of: name), slots[slot].name.hasSameBytes(as: name) else {
                return nil
            }
            return slots[slot].value
        }
        set {
            makeComparable(with: name)
            switch (slot(of: name), newValue) {
            case (let slot?, let value?): slots[slot] = (name, value)
            case (let slot?, nil): remove(name, at: slot)
            case (nil, let value?): append(name, value)
            case (nil, nil): break
            }
        }
    }

    private mutating func append(_ name: String, _ value: JSON) {
        if slots.isEmpty { slots.reserveCapacity(Self.usualCount) }
        index?[MemberName(name)] = slots.count
        slots.append((name, value))
        if index == nil, slots.count > Self.linearSearchLimit { makeIndex() }
    }

    private mutating func remove(_ name: String, at slot: Int) {
        guard index != nil else {
            slots.remove(at: slot)
            return
        }
        // Closing the gap would move all that follow: it stays a hole until there are many.
        index?[MemberName(name)] = nil
        slots[slot].value = .null
        guard slots.count > 2 * count else { return }
        slots = all
        makeIndex()
    }

    /// Without an index all names are ASCII, and to have the same bytes is to be equivalent.
    private mutating func makeComparable(with name: String) {
        if index == nil, !name.isASCII { makeIndex() }
    }

    private mutating func makeIndex() {
        var index: [MemberName: Int] = [:]
        for slot in slots.indices { index[MemberName(slots[slot].name)] = slot }
        self.index = index
    }

    /// Where a name is, or, once there is an index, an equivalent one.
    private func slot(of name: String) -> Int? {
        if let index { return index[MemberName(name)] }
        let length = name.utf8.count
        for slot in slots.indices where slots[slot].name.utf8.count == length {
            if slots[slot].name.hasSameBytes(as: name) { return slot }
        }
        return nil
    }
}

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
    let digest: Int

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

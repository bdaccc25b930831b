extension JSON {
    /// The members of a JSON object, in the order they were written, each name once.
    public struct Object: Hashable, Sendable {
        /// One member.
        public typealias Member = (name: String, value: JSON)

        /// The members in order, and, once there is an index, holes: members that were removed.
        private var slots: [Member] = []

        /// The slot of each member, once a linear search would cost more, or a name isn't ASCII.
        private var index: [MemberName: Int]?

        private static let linearSearchLimit = 16

        /// Room for this many members at once spares a small object from being moved as it grows.
        private static let usualCount = 8

        /// Creates an empty object.
        public init() {}

        /// Creates an object; of two members with one name, the last wins.
        public init(_ members: some Sequence<(String, JSON)>) {
            for (name, value) in members { self[name] = value }
        }

        /// The members, in order.
        public var members: [Member] {
            guard let index, index.count < slots.count else { return slots }
            return slots.indices.compactMap { slot in
                index[MemberName(slots[slot].name)] == slot ? slots[slot] : nil
            }
        }

        /// How many members there are.
        public var count: Int { index?.count ?? slots.count }

        /// Whether there are none.
        public var isEmpty: Bool { count == 0 }

        /// A member's value. Setting `nil` removes the member.
        ///
        /// Names that Unicode calls equivalent can't stand side by side: setting one replaces the
        /// other, its spelling included. But only the exact one is found: `K` isn't the Kelvin
        /// sign. Names of more than 256 bytes are told apart by their bytes alone; the strict
        /// reader takes them only in ASCII, where that makes no difference.
        public subscript(name: String) -> JSON? {
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

        /// Adds a member; `false` if its name, or an equivalent one, is taken.
        mutating func insert(_ name: String, _ value: JSON) -> Bool {
            makeComparable(with: name)
            guard slot(of: name) == nil else { return false }
            append(name, value)
            return true
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
            slots = members
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
            return slots.firstIndex { $0.name.hasSameBytes(as: name) }
        }
    }
}

extension JSON.Object {
    /// Whether both have the same members, in any order.
    public static func == (one: Self, other: Self) -> Bool {
        one.count == other.count
            && one.members.allSatisfy { member in other[member.name] == member.value }
    }

    /// Feeds the number of members only: order must not matter, and equality settles the rest.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(members.count)
    }
}

extension JSON.Object: ExpressibleByDictionaryLiteral {
    /// Creates an object; of two members with one name, the last wins.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self.init(elements)
    }
}

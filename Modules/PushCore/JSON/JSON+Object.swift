extension JSON {
    /// The members of a JSON object, in the order they were written, each name once.
    public struct Object: Hashable, Sendable {
        /// One member.
        public typealias Member = (name: String, value: JSON)

        /// The members, in order.
        public private(set) var members: [Member] = []

        /// Where a name is, once a linear search would cost more than hashing.
        private var index: [String: Int]?

        private static let linearSearchLimit = 16

        /// Room for this many members at once spares a small object from being moved as it grows.
        private static let usualCount = 8

        /// Creates an empty object.
        public init() {}

        /// Creates an object; of two members with one name, the last wins.
        public init(_ members: some Sequence<(String, JSON)>) {
            for (name, value) in members { self[name] = value }
        }

        /// How many members there are.
        public var count: Int { members.count }

        /// Whether there are none.
        public var isEmpty: Bool { members.isEmpty }

        /// A member's value. Setting `nil` removes the member.
        ///
        /// Names that Unicode calls equivalent can't stand side by side, but only the exact one is
        /// found: `K` isn't the Kelvin sign.
        public subscript(name: String) -> JSON? {
            get {
                position(of: name).map { members[$0] }
                    .flatMap { $0.name.utf8.elementsEqual(name.utf8) ? $0.value : nil }
            }
            set {
                switch (position(of: name), newValue) {
                case (let position?, let value?):
                    members[position].value = value
                case (let position?, nil):
                    members.remove(at: position)
                    index = nil
                    reindex()
                case (nil, let value?):
                    append(name, value)
                case (nil, nil):
                    break
                }
            }
        }

        /// Adds a member; `false` if the name is taken.
        mutating func insert(_ name: String, _ value: JSON) -> Bool {
            guard position(of: name) == nil else { return false }
            append(name, value)
            return true
        }

        private mutating func append(_ name: String, _ value: JSON) {
            if members.isEmpty { members.reserveCapacity(Self.usualCount) }
            members.append((name, value))
            index?[name] = members.count - 1
            if index == nil { reindex() }
        }

        private mutating func reindex() {
            guard members.count > Self.linearSearchLimit else { return }
            index = Dictionary(
                members.indices.map { (members[$0].name, $0) },
                uniquingKeysWith: { first, _ in first })
        }

        private func position(of name: String) -> Int? {
            if let index { return index[name] }
            return members.firstIndex { $0.name == name }
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

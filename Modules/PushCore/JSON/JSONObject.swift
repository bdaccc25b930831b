extension JSON {
    /// The members of a JSON object in their written order, each name once.
    public struct Object: Hashable, Sendable {
        /// One member.
        public typealias Member = (name: String, value: JSON)

        private enum Storage: Sendable {
            /// As it was read: its members are made when they are asked for.
            case read(JSONDocument, Int)
            case made(JSONMembers)
        }

        private var storage: Storage

        /// Creates an empty object.
        public init() { storage = .made(JSONMembers()) }

        /// Creates an object as it was read.
        init(in document: JSONDocument, at position: Int) { storage = .read(document, position) }

        /// Creates an object; of two members with one name, the last wins.
        public init(_ members: some Sequence<(String, JSON)>) {
            var made = JSONMembers()
            for (name, value) in members { made[name] = value }
            storage = .made(made)
        }

        /// The members, in order.
        public var members: [Member] {
            switch storage {
            case .read(let document, let position): document.members(ofObjectAt: position)
            case .made(let members): members.all
            }
        }

        /// How many members there are.
        public var count: Int {
            switch storage {
            case .read(let document, let position): document.count(ofObjectAt: position)
            case .made(let members): members.count
            }
        }

        /// Whether there are none.
        public var isEmpty: Bool { count == 0 }

        /// Whether a member is there and is a string; it isn't read.
        package func hasText(_ name: String) -> Bool {
            switch storage {
            case .read(let document, let position): document.hasText(name, ofObjectAt: position)
            case .made(let members): members[name]?.string != nil
            }
        }

        /// Lends the UTF-8 of a member that is a string, without making one; `nil` for any other
        /// member.
        package func withText<Value>(
            _ name: String, _ body: (UnsafeRawBufferPointer) -> Value
        ) -> Value? {
            switch storage {
            case .read(let document, let position):
                document.withText(name, ofObjectAt: position, body)
            case .made(let members):
                members[name]?.string?.withLentBytes { body(UnsafeRawBufferPointer($0)) }
            }
        }

        /// A member's value. Setting `nil` removes the member.
        ///
        /// Of names that Unicode calls equivalent, an object has one: setting another replaces it
        /// with its spelling. A lookup finds only the exact spelling: `K` isn't the Kelvin sign.
        /// Names of more than 256 bytes differ if their bytes do; the strict reader takes them only
        /// in ASCII, where that is the same.
        public subscript(name: String) -> JSON? {
            get {
                switch storage {
                case .read(let document, let position):
                    document.member(name, ofObjectAt: position)
                case .made(let members): members[name]
                }
            }
            set {
                switch storage {
                case .read(let document, let position):
                    var members = JSONMembers()
                    for (name, value) in document.members(ofObjectAt: position) {
                        members[name] = value
                    }
                    members[name] = newValue
                    storage = .made(members)
                case .made(var members):
                    // Else there would be two owners, and each change would copy all members.
                    storage = .made(JSONMembers())
                    members[name] = newValue
                    storage = .made(members)
                }
            }
        }
    }
}

extension JSON.Object {
    /// Whether both have the same members, in any order.
    @inline(never) public static func == (one: Self, other: Self) -> Bool {
        one.count == other.count
            && one.members.allSatisfy { member in other[member.name] == member.value }
    }

    /// Feeds only the number of members, because their order doesn't matter.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
    }
}

extension JSON.Object: ExpressibleByDictionaryLiteral {
    /// Creates an object; of two members with one name, the last wins.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self.init(elements)
    }
}

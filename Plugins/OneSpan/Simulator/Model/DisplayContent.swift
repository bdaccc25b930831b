extension OneSpanSimulator {
    /// What a device shows before the user decides.
    @nonexhaustive
    public enum DisplayContent: Hashable, Sendable {
        /// Nothing; logins alone.
        case none
        /// Key and value pairs, in their order: 1 to 16.
        case fields([Field])
        /// A text of 1 to 4,096 bytes of UTF-8.
        case text(String)
        /// Any form and at most 8,192 bytes of data, sealed as they are: for what a platform that is
        /// newer, or careless, asks a device to show. Form 0 has no data, every other one has some.
        case raw(form: UInt8, data: [UInt8])
    }

    /// One line of a transaction.
    public struct Field: Hashable, Sendable {
        /// What it is: 1 to 64 bytes of UTF-8.
        public let key: String

        /// Its value: at most 256 bytes of UTF-8.
        public let value: String

        /// Creates a field.
        public init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }
}

extension OneSpanSimulator.DisplayContent {
    /// The byte that says what ``data`` is.
    var form: UInt8 {
        switch self {
        case .none: 0
        case .fields: 1
        case .text: 2
        case .raw(let form, _): form
        }
    }

    var data: [UInt8] {
        switch self {
        case .none: []
        case .text(let text): Array(text.utf8)
        case .raw(_, let data): data
        case .fields(let fields):
            [UInt8(truncatingIfNeeded: fields.count)]
                + fields.flatMap { Self.counted($0.key) + Self.counted($0.value) }
        }
    }

    /// Whether it keeps the limits, those of a transaction if it is one.
    func isValid(forTransaction isTransaction: Bool) -> Bool {
        switch self {
        case .none: !isTransaction
        case .text(let text): !isTransaction && (1...4096).contains(text.utf8.count)
        case .raw(let form, let data): form == 0 ? data.isEmpty : 1...8_192 ~= data.count
        case .fields(let fields):
            (1...16).contains(fields.count)
                && fields.allSatisfy {
                    (1...64).contains($0.key.utf8.count) && $0.value.utf8.count <= 256
                }
        }
    }

    private static func counted(_ text: String) -> [UInt8] {
        UInt16(truncatingIfNeeded: text.utf8.count).bytes + text.utf8
    }
}

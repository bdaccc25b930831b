extension JSON {
    /// A JSON number: an exact 64-bit integer where it was written as one, else a double.
    public struct Number: Hashable, Sendable {
        private enum Storage: Hashable {
            case integer(Int64)
            case double(Double)
        }

        private let storage: Storage

        /// Creates an integer.
        public init(_ value: Int64) { storage = .integer(value) }

        /// Creates a number from a finite double; `nil` for infinity and not-a-number.
        public init?(_ value: Double) {
            guard value.isFinite else { return nil }
            storage = .double(value)
        }

        /// The value as an integer, or `nil` if that would not be exact.
        ///
        /// A number that was written with a fraction or an exponent, or beyond 64 bits, is read as
        /// a double; it counts as an integer only below 2⁵³, as 2⁵³ + 1 is read as 2⁵³.
        public var integer: Int64? {
            switch storage {
            case .integer(let value): value
            case .double(let value): abs(value) < 0x1p53 ? Int64(exactly: value) : nil
            }
        }

        /// The value as the nearest double.
        public var double: Double {
            switch storage {
            case .integer(let value): Double(value)
            case .double(let value): value
            }
        }

        /// The number as JSON text.
        var text: String {
            switch storage {
            case .integer(let value): "\(value)"
            case .double(let value): "\(value)"
            }
        }
    }
}

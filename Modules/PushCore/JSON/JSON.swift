/// A JSON value (RFC 8259), as the strict reader accepts it.
///
/// Read untrusted bytes with `init(parsing:limits:)`, and turn the result into a type of your own
/// at once.
public enum JSON: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number.
    case number(Number)
    /// A string.
    case string(String)
    /// An array.
    case array([JSON])
    /// An object.
    case object(Object)
}

extension JSON {
    /// The string, if it is one.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The boolean, if it is one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number as an integer, if it is a number with an exact integer value.
    public var integer: Int64? {
        if case .number(let value) = self { value.integer } else { nil }
    }

    /// The number as a double, if it is a number.
    public var double: Double? {
        if case .number(let value) = self { value.double } else { nil }
    }

    /// The elements, if it is an array.
    public var array: [JSON]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, if it is an object.
    public var object: Object? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The value of an object's member; `nil` if there is none, or if this isn't an object.
    public subscript(name: String) -> JSON? {
        if case .object(let value) = self { value[name] } else { nil }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByNilLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Creates a number.
    public init(integerLiteral value: Int64) { self = .number(Number(value)) }

    /// Creates an array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }

    /// Creates an object. If two members have one name, the last wins.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Object(elements))
    }

    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
}

extension JSON {
    /// A whole number, or the nearest one that fits into 64 bits.
    @inlinable public static func integer(_ value: some BinaryInteger) -> JSON {
        .number(Number(Int64(clamping: value)))
    }

    /// A JSON number: an exact 64-bit integer if it was written as one, else a double.
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

        /// The value as an integer; `nil` if that isn't exact.
        ///
        /// A number with a fraction, an exponent or more than 64 bits is read as a double. A double
        /// counts as an integer only below 2⁵³, because 2⁵³ + 1 is read as 2⁵³.
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

/// For apps and plugins whose own `Codable` types hold JSON. Untrusted bytes don't come this way:
/// a general decoder isn't strict.
extension JSON: Codable {
    /// Reads a value from any decoder.
    ///
    /// - Throws: `DecodingError` if the decoder holds anything but JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .number(Number(value))
        } else if let value = try? container.decode(Double.self), let number = Number(value) {
            self = .number(number)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            let members = try container.decode([String: JSON].self)
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            self = .object(Object(sorted.map { ($0.key, $0.value) }))
        }
    }

    /// Writes the value to any encoder.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value):
            if let integer = value.integer {
                try container.encode(integer)
            } else {
                try container.encode(value.double)
            }
        case .string(let value): try container.encode(value)
        case .array(let elements): try container.encode(elements)
        case .object(let object):
            try container.encode(
                Dictionary(
                    object.members.map { ($0.name, $0.value) },
                    uniquingKeysWith: { first, _ in first }))
        }
    }
}

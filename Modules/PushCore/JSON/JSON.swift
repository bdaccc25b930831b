/// A JSON value (RFC 8259), as the strict reader accepts it.
///
/// Read untrusted bytes with `init(parsing:limits:)`; turn the result into a type of your own at
/// once.
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

    /// The value of an object's member; `nil` if there is none, or this is no object.
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

    /// Creates an object; of two members with one name, the last wins.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Object(elements))
    }

    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
}

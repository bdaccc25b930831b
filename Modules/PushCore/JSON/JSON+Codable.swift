/// For apps and plugins whose own `Codable` types hold JSON. Untrusted bytes don't come this way:
/// a general decoder isn't strict.
extension JSON: Codable {
    /// Reads a value from any decoder.
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

/// A record's place: a collection, and a name in it. Both may be any text.
///
/// Keys are equal if their UTF-8 bytes are, because two spellings of one text are two names to a
/// vendor.
public struct RecordKey: Hashable, Sendable {
    /// The collection.
    public let collection: String

    /// The name.
    public let name: String

    /// Creates a key.
    public init(_ collection: String, _ name: String) {
        self.collection = collection
        self.name = name
    }

    /// Whether two keys have the same bytes.
    public static func == (one: RecordKey, other: RecordKey) -> Bool {
        one.collection.hasSameBytes(as: other.collection)
            && one.name.hasSameBytes(as: other.name)
    }

    /// Feeds the bytes of the key.
    public func hash(into hasher: inout Hasher) {
        collection.hashBytes(into: &hasher)
        name.hashBytes(into: &hasher)
    }
}

extension RecordKey {
    /// The record of an enrollment in a collection of the core's.
    init(_ collection: String, _ id: Enrollment.ID) {
        self.init(collection, joining: [id.provider.rawValue, id.name])
    }

    /// A record whose name has several parts. They may hold any text, so they are joined as JSON: no
    /// two lists of parts share a key.
    init(_ collection: String, joining parts: [String]) {
        self.init(collection, JSON.array(parts.map(JSON.string)).text)
    }

    /// The parts that a name was joined from; `nil` if it has another number of them.
    static func parts(_ count: Int, of name: String) -> [String]? {
        let limits = JSON.Limits(bytes: .max)
        let parts = try? JSON(parsing: name, limits: limits).array?.compactMap(\.string)
        return parts?.count == count ? parts : nil
    }

    /// The enrollment of which such a key has the name.
    static func enrollment(named name: String) -> Enrollment.ID? {
        guard let parts = parts(2, of: name) else { return nil }
        return Enrollment.ID(parts[1], of: ProviderID(rawValue: parts[0]))
    }
}

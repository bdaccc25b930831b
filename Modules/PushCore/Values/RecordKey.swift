/// Which record: a collection, and a name in it. Both may hold any text.
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
}

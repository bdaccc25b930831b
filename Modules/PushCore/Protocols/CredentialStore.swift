/// Keyed records with a revision each: the seam to storage.
///
/// Two processes, such as an app and its notification extension, may share one store. No two
/// records ever need to change together. Collections and names are compared by their UTF-8 bytes:
/// two spellings that Unicode calls equivalent are two names.
public protocol CredentialStore: Sendable {
    /// A record and its revision; `nil` if there is none.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if the record is damaged, each time until
    ///   it is discarded, or `storage` if the store can't tell. A damaged record must never look
    ///   like a missing one. A store that is locked or broken must never look empty.
    func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)?

    /// Writes a record, if nobody else changed it meanwhile. It is durable when this returns.
    ///
    /// - Parameters:
    ///   - value: The new value; `nil` deletes the record.
    ///   - key: The record.
    ///   - revision: The revision it replaces; `nil` if there must be no such record yet.
    /// - Returns: The new revision; `nil` after a deletion, or if the store can't tell it without
    ///   reading the record.
    /// - Throws: ``PushError`` with the code `conflict` if the record's revision is another one,
    ///   `malformed` if there is one that is damaged, or `storage` if it couldn't be written, and
    ///   then nothing has changed; `storageUnknown` if the store can't say whether it has.
    @discardableResult
    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError) -> Revision?

    /// Writes a record, and marks it as finished or not. The mark is written in the same step as
    /// the value, where ``unfinishedNames(in:)`` sees it without opening the record.
    ///
    /// A store that can't keep the mark writes the value alone. ``write(_:for:replacing:)`` writes
    /// a record as unfinished.
    ///
    /// - Parameters:
    ///   - value: The new value; `nil` deletes the record.
    ///   - key: The record.
    ///   - revision: The revision it replaces; `nil` if there must be no such record yet.
    ///   - isFinished: Whether nothing is left to do about the record.
    /// - Returns: The new revision, as ``write(_:for:replacing:)``.
    /// - Throws: ``PushError`` with the code `conflict`, `malformed`, `storage` or
    ///   `storageUnknown`, as ``write(_:for:replacing:)``.
    @discardableResult
    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, isFinished: Bool
    ) async throws(PushError) -> Revision?

    /// Takes away a record that ``read(_:)`` found `malformed`, so that its name is free again. A
    /// store that keeps damaged records keeps it aside. If there is no such record, it does
    /// nothing.
    ///
    /// - Throws: ``PushError`` with the code `conflict` if the record isn't damaged, such as one
    ///   that another process made after it discarded the damaged one; `storage` if it couldn't be
    ///   taken away. Nothing has changed then.
    func discard(_ key: RecordKey) async throws(PushError)

    /// The names of all records of a collection, damaged ones included, in no order.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    func names(in collection: String) async throws(PushError) -> [String]

    /// The names of a collection's records except those that were last written as finished, in no
    /// order. Damaged ones are included. A store that keeps no mark returns all names.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    func unfinishedNames(in collection: String) async throws(PushError) -> [String]
}

/// A store that keeps nothing beside a value.
extension CredentialStore {
    /// Writes the value alone.
    ///
    /// - Throws: ``PushError`` with the code `conflict`, `malformed`, `storage` or
    ///   `storageUnknown`, as ``write(_:for:replacing:)``.
    @discardableResult
    public func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, isFinished: Bool
    ) async throws(PushError) -> Revision? {
        try await write(value, for: key, replacing: revision)
    }

    /// All names.
    ///
    /// - Throws: ``PushError`` with the code `storage`, as ``names(in:)``.
    public func unfinishedNames(in collection: String) async throws(PushError) -> [String] {
        try await names(in: collection)
    }
}

/// Which record: a collection, and a name in it. Both may hold any text.
///
/// Keys are equal if their UTF-8 bytes are, as two spellings of one text are two names to a vendor.
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

/// Which version of a record. Only its equality means anything.
public struct Revision: Hashable, Sendable {
    /// The store's own number.
    public let value: UInt64

    /// Creates a revision.
    public init(_ value: UInt64) {
        self.value = value
    }
}

/// Keyed records with a revision each: the seam to storage.
///
/// Two processes, such as an app and its notification extension, may share one store. No promise of
/// an authenticator needs two records to change together. Collections and names are compared by
/// their UTF-8 bytes: two spellings that Unicode calls equivalent are two names.
///
/// Four functions are enough: ``read(_:)``, ``write(_:for:replacing:)``, ``discard(_:)`` and
/// ``names(in:)``. The others have a default that is made of these. A store implements them where it
/// can do better: a store beyond this machine saves trips to it, a store on a disk the opening of
/// files.
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

    /// What the store can do beyond the rest of this protocol; nothing by default.
    var traits: StoreTraits { get }

    /// Several records, in the order of the keys. Each may be damaged on its own. By default they
    /// are read one after the other.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord]

    /// A part of a collection, with the values: the records whose names come next after a name, in
    /// the order of the names' bytes. A store that conceals names may have another order, as long as
    /// it stays. By default it's made of ``names(in:)`` and ``read(all:)``.
    ///
    /// A record that is there all the while is in one page of a walk through the collection; one that
    /// comes or goes meanwhile may be in one or in none.
    ///
    /// - Parameters:
    ///   - collection: The collection.
    ///   - name: The name of the last record of the page before; `nil` for the first page. There
    ///     needn't be such a record any more.
    ///   - limit: How many records the page has at the most; at least 1.
    /// - Returns: The page, and whether it is the last one.
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    func page(
        of collection: String, after name: String?, limit: Int
    ) async throws(PushError) -> StorePage

    /// Makes several changes, in order, each of another record. They are durable when this returns.
    ///
    /// With ``StoreTraits/atomic`` all are made or none. By default they are made one after the
    /// other: an error then leaves those that came before the refused one.
    ///
    /// - Returns: For each change the record's new revision; `nil` after a deletion, or if the store
    ///   can't tell it without reading the record.
    /// - Throws: ``PushError`` with the code `conflict` if a record's revision is another one, or
    ///   there is none that must be there; `malformed` if a record is damaged. Both carry a
    ///   ``StoreRefusal`` (``PushError/refusal``). `storage` if nothing has changed, or no more than
    ///   what the refusal says; `storageUnknown` if the store can't say.
    @discardableResult
    func commit(_ changes: [StoreChange]) async throws(PushError) -> [Revision?]
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

    /// Whether a collection belongs to all devices that one store holds, whatever their scopes.
    package static func isWholeStores(_ collection: String) -> Bool {
        collection == SharedPause.collection
    }

    /// Whether a collection holds the records of all scopes, each scope before its names.
    package static func hasScopesInNames(_ collection: String) -> Bool {
        collection == UnfinishedEntry.collection
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

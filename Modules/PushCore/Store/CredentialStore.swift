/// Keyed records with a revision each: the seam to storage.
///
/// Several processes, such as an app and its notification extension, may share one store. No
/// promise of the authenticator needs two records to change together. Collections and names are
/// compared by their UTF-8 bytes: two spellings that Unicode calls equivalent are two names.
///
/// Four functions are enough: ``read(_:)``, ``write(_:for:replacing:)``, ``discard(_:)`` and
/// ``names(in:)``. The others have defaults made of these. Implement them to save round trips to a
/// server, or the opening of files.
public protocol CredentialStore: Sendable {
    /// A record and its revision; `nil` if there is none.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if the record is damaged, until it is
    ///   discarded, or `storage` if the store can't tell. A damaged record must never look missing,
    ///   and a locked or broken store never empty.
    func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)?

    /// Writes a record, unless another writer changed it meanwhile. The write is durable when this
    /// returns.
    ///
    /// - Parameters:
    ///   - value: The new value; `nil` deletes the record.
    ///   - key: The record.
    ///   - revision: The revision it replaces; `nil` if there must be no such record yet.
    /// - Returns: The new revision; `nil` after a deletion, or if the store can't tell it without a
    ///   read.
    /// - Throws: ``PushError`` with the code `conflict` if the record has another revision,
    ///   `malformed` if it is damaged, or `storage` if it couldn't be written; nothing has changed
    ///   then. `storageUnknown` if the store can't say whether it has changed.
    @discardableResult
    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError) -> Revision?

    /// Writes a record and marks it as finished or not, in one step. ``unfinishedNames(in:)`` sees
    /// the mark without opening the record.
    ///
    /// A store without marks writes the value alone. ``write(_:for:replacing:)`` writes a record as
    /// unfinished.
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

    /// Removes a record that ``read(_:)`` found `malformed`, so that its name is free again. A
    /// store that keeps damaged records keeps it aside. It does nothing if there is no such record.
    ///
    /// - Throws: ``PushError`` with the code `conflict` if the record isn't damaged, such as one
    ///   that another process made after a discard; `storage` if it couldn't be removed. Nothing
    ///   has changed then.
    func discard(_ key: RecordKey) async throws(PushError)

    /// The names of all records of a collection, damaged ones included, in no order.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    func names(in collection: String) async throws(PushError) -> [String]

    /// The names of a collection's records except those last written as finished, in no order.
    /// Damaged ones are included. A store without marks returns all names.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    func unfinishedNames(in collection: String) async throws(PushError) -> [String]

    /// What the store can do beyond the rest of this protocol; nothing by default.
    var traits: StoreTraits { get }

    /// Several records, in the order of the keys. Each may be damaged on its own. The default reads
    /// one after the other.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord]

    /// A part of a collection with its values: the records after a name, in the order of the names'
    /// bytes. A store that conceals names may have another, constant order. The default uses
    /// ``names(in:)`` and ``read(all:)``.
    ///
    /// In a walk through the collection, a record that exists all the time is in exactly one page;
    /// one that comes or goes meanwhile is in one or in none.
    ///
    /// - Parameters:
    ///   - collection: The collection.
    ///   - name: The last record's name of the page before, even if that record is gone; `nil` for
    ///     the first page.
    ///   - limit: The most records of the page; at least 1.
    /// - Returns: The page, and whether it is the last one.
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    func page(
        of collection: String, after name: String?, limit: Int
    ) async throws(PushError) -> StorePage

    /// Makes several changes in order, each of another record. They are durable when this returns.
    ///
    /// With ``StoreTraits/atomic`` it makes all or none. The default makes one after the other: an
    /// error leaves those before the refused one.
    ///
    /// - Returns: For each change the record's new revision; `nil` after a deletion, or if the
    ///   store can't tell it without a read.
    /// - Throws: ``PushError`` with the code `conflict` if a record has another revision or is
    ///   missing; `malformed` if a record is damaged. Both carry a ``StoreRefusal``
    ///   (``PushError/refusal``). `storage` if nothing has changed, or no more than the refusal
    ///   says; `storageUnknown` if the store can't say.
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

/// Keyed records with a revision each: the seam to storage.
///
/// Several processes, such as an app and its notification extension, may share one store. No
/// promise of the authenticator needs two records to change together. Collections and names are
/// compared by their UTF-8 bytes: two spellings that Unicode calls equivalent are two names.
///
/// Four functions are enough: ``read(_:)``, ``write(_:for:replacing:waits:)``, ``discard(_:)`` and
/// ``names(in:waiting:after:limit:)``. The others have defaults made of these. Implement them to
/// save round trips to a server, or the opening of files.
public protocol CredentialStore: Sendable {
    /// A record and its revision; `nil` if there is none.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if the record is damaged, until it is
    ///   discarded, or `storage` if the store can't tell. A damaged record must never look missing,
    ///   and a locked or broken store never empty.
    func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)?

    /// Writes a record and its mark in one step, unless another writer changed it meanwhile. The
    /// write is durable when this returns.
    ///
    /// The mark says whether work waits in the record. ``names(in:waiting:after:limit:)`` sees it
    /// without opening the record. A refused write leaves it as it was; a deletion takes it away. A
    /// store without marks writes the value alone.
    ///
    /// - Parameters:
    ///   - value: The new value; `nil` deletes the record.
    ///   - key: The record.
    ///   - revision: The revision it replaces; `nil` if there must be no such record yet.
    ///   - waits: Whether work waits in the record; of no meaning for a deletion.
    /// - Returns: The new revision; `nil` after a deletion, or if the store can't tell it without a
    ///   read.
    /// - Throws: ``PushError`` with the code `conflict` if the record has another revision, perhaps
    ///   with the record as it is now (``PushError/found``); `malformed` if it is damaged, or
    ///   `storage` if it couldn't be written; nothing has changed then. `storageUnknown` if the store
    ///   can't say whether it has changed.
    @discardableResult
    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision?

    /// Removes a record that ``read(_:)`` found `malformed`, so that its name is free again. A
    /// store that keeps damaged records keeps it aside. It does nothing if there is no such record.
    ///
    /// - Throws: ``PushError`` with the code `conflict` if the record isn't damaged, such as one
    ///   that another process made after a discard; `storage` if it couldn't be removed. Nothing
    ///   has changed then.
    func discard(_ key: RecordKey) async throws(PushError)

    /// A part of a collection's names, those of damaged records included: the names after one, in
    /// the order of their UTF-8 bytes. A store that conceals names may have another, constant
    /// order, in which the names of one scope stand together.
    ///
    /// In a walk through the collection, a record that exists all the time is named exactly once;
    /// one that comes or goes meanwhile is named once or not at all. So is, among those that wait,
    /// one that waits all the time.
    ///
    /// - Parameters:
    ///   - collection: The collection.
    ///   - waiting: Whether the records are left out whose last write said that no work waits in
    ///     them. Those of which the store can't tell are named; a store without marks names all.
    ///   - name: The last name of the page before, even if that record is gone; `nil` for the first
    ///     page.
    ///   - limit: The most names of the page; at least 1.
    /// - Returns: The page, and whether it is the last one. Only the last one may be empty.
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage

    /// Whether processes on several machines, with different clocks, use the store; no by default.
    var isShared: Bool { get }

    /// Several records, in the order of the keys. Each may be damaged on its own. The default reads
    /// one after the other.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord]
}

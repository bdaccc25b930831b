/// Keyed records with a revision each: the seam to storage.
///
/// Two processes, such as an app and its notification extension, may share one store. No two
/// records ever need to change together.
public protocol CredentialStore: Sendable {
    /// A record and its revision; `nil` if there is none.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell. A store that is
    ///   locked or broken must never look empty.
    func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)?

    /// Writes a record, if nobody else changed it meanwhile. It is durable when this returns.
    ///
    /// - Parameters:
    ///   - value: The new value; `nil` deletes the record.
    ///   - key: The record.
    ///   - revision: The revision it replaces; `nil` if there must be no such record yet.
    /// - Throws: ``PushError`` with the code `conflict` if the record's revision is another one, or
    ///   `storage` if it couldn't be written, and then nothing has changed.
    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError)

    /// The names of all records of a collection, in no order.
    func names(in collection: String) async throws(PushError) -> [String]
}

/// A store that can show all its records, whatever their collections, such as for sealing them with
/// another key.
public protocol WalkableStore: CredentialStore {
    /// A part of all records with their values: those after a key, in a constant order.
    ///
    /// In a walk, a record that exists all the time is in exactly one page.
    ///
    /// - Parameters:
    ///   - key: The last record's key of the page before, even if that record is gone; `nil` for
    ///     the first page.
    ///   - limit: The most records of the page; at least 1.
    /// - Returns: The records in the walk's order, without deleted ones; whether no record comes
    ///   after these.
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    func page(
        after key: RecordKey?, limit: Int
    ) async throws(PushError) -> (records: [StoredRecord], isLast: Bool)
}

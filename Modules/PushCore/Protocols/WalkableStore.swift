/// A store that can show all it has, without being told the collections: what it takes to seal
/// everything with another key.
public protocol WalkableStore: CredentialStore {
    /// A part of everything, with the values: the records whose keys come next after a key, in an order
    /// that stays.
    ///
    /// A record that is there all the while is in one page of a walk.
    ///
    /// - Parameters:
    ///   - key: The key of the last record of the page before; `nil` for the first page. There needn't
    ///     be such a record any more.
    ///   - limit: How many records the page has at the most; at least 1.
    /// - Returns: The page, and whether it is the last one.
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    func page(after key: RecordKey?, limit: Int) async throws(PushError) -> StorePage
}

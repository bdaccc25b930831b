/// What a store found out about a write whose reply was lost.
@nonexhaustive
public enum SettledWrite: String, CaseIterable, Hashable, Sendable {
    /// The write was made.
    case made
    /// It wasn't made: another writer was first.
    case notMade
    /// The store can't tell; the caller got `storageUnknown`.
    case unknown
}

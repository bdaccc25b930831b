public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One thing that isn't finished, and in which scope of a store.
public struct UnfinishedInScope: Sendable, Hashable {
    /// What isn't finished.
    @nonexhaustive
    public enum Matter: Sendable, Hashable {
        /// A challenge waits for the user.
        case open
        /// A decision waits for the vendor's word.
        case decided
        /// An enrollment is being removed.
        case removal
    }

    /// The scope, as it was given to ``ScopedStore``.
    public let scope: String

    /// What it is called, as no other in its scope.
    public let name: String

    /// The revision of what says so; another one means that something has changed.
    public let revision: Revision

    /// What isn't finished.
    public let matter: Matter

    /// When the challenge expires, if its announcement says so.
    public let expiry: Date?

    /// Reads an entry; `nil` if it is damaged, or in no scope.
    fileprivate init?(_ record: StoredRecord) {
        guard let name = ScopedName(record.key.name),
            case .success(let content?) = record.content,
            let entry = UnfinishedEntry(
                StoredRecord(RecordKey(record.key.collection, name.rest), record.content))
        else { return nil }
        scope = name.scope
        self.name = name.rest
        revision = content.revision
        expiry = entry.expiry
        matter =
            switch entry.matter {
            case .open: .open
            case .decided: .decided
            case .removal: .removal
            }
    }
}

extension ScopedStore {
    /// What isn't finished in any scope of a store, read by pages: what is finished costs nothing.
    ///
    /// The authenticators keep this index where the store is `StoreTraits.atomic`. It may name
    /// what was finished a moment ago, and leaves out an entry that is damaged.
    ///
    /// - Parameter base: The store that the scopes were made of.
    /// - Returns: All of it, in the order of the store's pages; nothing if the store isn't atomic.
    /// - Throws: `PushError` with the code `storage` if the store can't tell.
    public static func unfinished(
        in base: any CredentialStore
    ) async throws(PushError) -> [UnfinishedInScope] {
        try await UnfinishedIndex.records(in: base).compactMap(UnfinishedInScope.init)
    }
}

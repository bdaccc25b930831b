/// What a store can do beyond what each must.
public struct StoreTraits: OptionSet, Sendable {
    /// ``CredentialStore/commit(_:)`` makes all changes or none. The core then keeps an index of what
    /// isn't finished, and makes the changes of one step by one call.
    public static let atomic = StoreTraits(rawValue: 1 << 0)

    /// Processes on several machines use it, whose clocks differ.
    public static var shared: StoreTraits { StoreTraits(rawValue: 1 << 1) }

    /// Pages come in the order of the names' bytes; or, where names are concealed, in one in which the
    /// names of each scope stand together. A scope's part of a collection that all scopes share is then
    /// read without the others'.
    public static var ordered: StoreTraits { StoreTraits(rawValue: 1 << 2) }

    /// The set as bits.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// A record as one of several that were read together.
public struct StoredRecord: Sendable {
    /// Which record.
    public let key: RecordKey

    /// Its value and revision; `nil` if there is none. The error has the code `malformed` if this
    /// record is damaged.
    public let content: Result<(value: Secret, revision: Revision)?, PushError>

    /// Creates a record.
    public init(
        _ key: RecordKey, _ content: Result<(value: Secret, revision: Revision)?, PushError>
    ) {
        self.key = key
        self.content = content
    }
}

/// A part of a collection.
public struct StorePage: Sendable {
    /// The records, in the order of the collection; none that is gone.
    public let records: [StoredRecord]

    /// Whether no record comes after these.
    public let isLast: Bool

    /// Creates a page.
    public init(_ records: [StoredRecord], isLast: Bool) {
        self.records = records
        self.isLast = isLast
    }
}

/// One of several changes that are made together (``CredentialStore/commit(_:)``).
public enum StoreChange: Sendable {
    /// Makes a record; there must be none.
    case create(RecordKey, Secret)
    /// Replaces a record that has this revision.
    case replace(RecordKey, Revision, with: Secret)
    /// Deletes a record that has this revision.
    case delete(RecordKey, Revision)
    /// Changes nothing; there must be such a record.
    case exists(RecordKey)

    /// Whose change it is.
    public var key: RecordKey {
        switch self {
        case .create(let key, _), .replace(let key, _, _), .delete(let key, _), .exists(let key):
            key
        }
    }
}

/// Which of several changes a store refused.
public struct StoreRefusal: Error {
    /// The place of the change, from 0. Where several can't be made, it is the first.
    public let index: Int

    /// The record as it is now; `nil` if the store doesn't know. It spares a read after a conflict.
    public let found: StoredRecord?

    /// Creates a refusal.
    public init(index: Int, found: StoredRecord? = nil) {
        self.index = index
        self.found = found
    }
}

/// What a store found out of a write whose reply was lost.
@nonexhaustive
public enum SettledWrite: String, CaseIterable, Hashable, Sendable {
    /// It was made.
    case made
    /// It wasn't: another writer was first.
    case notMade
    /// The store can't tell; the caller got `storageUnknown`.
    case unknown
}

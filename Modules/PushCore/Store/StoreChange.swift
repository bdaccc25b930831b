/// A store's abilities beyond what every store must do.
public struct StoreTraits: OptionSet, Sendable {
    /// ``CredentialStore/commit(_:)`` makes all changes or none. The core then keeps an index of
    /// unfinished records, and makes one step's changes by one call.
    public static let atomic = StoreTraits(rawValue: 1 << 0)

    /// Processes on several machines, with different clocks, use the store.
    public static var shared: StoreTraits { StoreTraits(rawValue: 1 << 1) }

    /// Pages are sorted by name, or, with concealed names, grouped by scope. A scope's part of a
    /// shared collection is then read without the others'.
    public static var ordered: StoreTraits { StoreTraits(rawValue: 1 << 2) }

    /// The set as bits.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// One of several records that were read together.
public struct StoredRecord: Sendable {
    /// Which record.
    public let key: RecordKey

    /// Its value and revision; `nil` if there is no record. The error has the code `malformed` if
    /// this record is damaged.
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
    /// The records in the collection's order, without deleted ones.
    public let records: [StoredRecord]

    /// Whether no record comes after these.
    public let isLast: Bool

    /// Creates a page.
    public init(_ records: [StoredRecord], isLast: Bool) {
        self.records = records
        self.isLast = isLast
    }
}

/// A part of a collection's names.
public struct NamePage: Sendable {
    /// The names in the collection's order.
    public let names: [String]

    /// Whether no name comes after these.
    public let isLast: Bool

    /// Creates a page.
    public init(_ names: [String], isLast: Bool) {
        self.names = names
        self.isLast = isLast
    }

    /// Cuts a page out of all names of a collection, in the order of their UTF-8 bytes, for a store
    /// that has them at hand.
    ///
    /// - Parameters:
    ///   - all: The names, in any order.
    ///   - name: The last name of the page before; `nil` for the first page.
    ///   - limit: The most names of the page.
    public init(of all: some Sequence<String>, after name: String?, limit: Int) {
        let rest = all.filter { next in
            name.map { $0.utf8.lexicographicallyPrecedes(next.utf8) } ?? true
        }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        names = Array(rest.prefix(max(1, limit)))
        isLast = names.count == rest.count
    }
}

/// One of several changes of one ``CredentialStore/commit(_:)``.
public enum StoreChange: Sendable {
    /// Makes a record, which must not exist.
    case create(RecordKey, Secret)
    /// Replaces a record that has this revision.
    case replace(RecordKey, Revision, with: Secret)
    /// Deletes a record that has this revision.
    case delete(RecordKey, Revision)
    /// Changes nothing, but the record must exist.
    case exists(RecordKey)

    /// The changed record.
    public var key: RecordKey {
        switch self {
        case .create(let key, _), .replace(let key, _, _), .delete(let key, _), .exists(let key):
            key
        }
    }
}

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

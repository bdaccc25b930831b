public import PushCore

/// A store in a PostgreSQL database, for many processes on many machines.
///
/// A write is durable when it returns: with a synchronous standby on that as well, which
/// ``concerns()`` looks after. A write whose reply is lost is sent again, and finds out by the
/// record's own list of revisions whether it had happened. Values are stored as they are given, so
/// they should come sealed. `docs/postgres-store.md` says how to set a database up.
///
/// ```swift
/// let store = try await PostgresStore(
///     .init("postgres://push@one.example,two.example/push", schema: "tenant_a"))
/// ```
///
/// libpq is loaded here, so that a program that links this module starts without it.
public struct PostgresStore: WalkableStore {
    private let pool: PostgresPool
    private let tables: PostgresTables
    private let writer: PostgresWriter
    private let patience: Duration

    /// The largest value that can be written, in bytes: 64 MiB.
    static let maximumValue = 1 << 26

    /// The most changes that can be made together.
    static let maximumChanges = 1000

    /// Everything: ``commit(_:)`` is one statement, and machines share the database.
    public var traits: StoreTraits { [.atomic, .shared, .ordered] }

    /// Opens a store, whose tables ``prepare(_:for:)`` has made.
    ///
    /// - Throws: `PushError` with the code `unsupported` if libpq isn't there, `invalidArgument` if
    ///   the address or the schema can't be one, `storage` if no server takes a connection, the role
    ///   may not use the tables, they have another format, or a pooler between hands out transactions.
    ///   The reason says what to set up.
    public init(_ configuration: Configuration) async throws(PushError) {
        let tables = try PostgresTables(schema: configuration.schema)
        pool = PostgresPool(
            try await configuration.session(greeting: tables.greeting, PostgresTables.judge),
            count: configuration.connections)
        patience = configuration.patience
        self.tables = tables
        writer = PostgresWriter(
            pool: pool, tables: tables, patience: patience, onSettled: configuration.onSettled)
        _ = try await pool.read(PostgresStatement("", "SELECT 1"), within: patience)
        if await pool.sharesProcesses(until: .now + patience) {
            throw PushError(.storage, PostgresFailure.pooler)
        }
    }

    /// Makes the schema and the tables, unless they are there, and lets a role use them. It takes a
    /// connection of a role that may do so, such as the owner of the database.
    ///
    /// - Parameters:
    ///   - configuration: The connection, and the name of the schema.
    ///   - role: The role of the processes that will open the store; `nil` if it is the same one.
    /// - Throws: `PushError` with the code `unsupported`, `invalidArgument` or `storage`, as
    ///   ``init(_:)``.
    public static func prepare(
        _ configuration: Configuration, for role: String? = nil
    ) async throws(PushError) {
        let tables = try PostgresTables(schema: configuration.schema)
        let statement = try tables.preparation(for: role)
        let session = try await configuration.session(greeting: nil) { _ in nil }
        _ = try await PostgresPool(session, count: 1)
            .read(statement, within: configuration.patience)
    }

    // MARK: Reading

    /// A record and its revision; `nil` if there is none.
    ///
    /// - Throws: `PushError` with the code `storage` if the server can't tell.
    public func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await pool.read(tables.read(key), within: patience, revisionAt: 1).first?.content(at: 0)
    }

    /// Several records in one trip.
    ///
    /// - Throws: `PushError` with the code `storage` if the server can't tell.
    public func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        guard !keys.isEmpty else { return [] }
        let rows = try await pool.read(
            tables.look(at: keys), within: patience, revisionAt: 1)
        return zip(keys, rows).map { key, row in
            StoredRecord(key, .success(PostgresWriter.Found(row).content))
        }
    }

    /// A part of a collection's names, at most 5,000, in the order of their bytes. Those of the
    /// records in which work waits have an index of their own, so the others cost nothing.
    ///
    /// - Throws: `PushError` with the code `storage` if the server can't tell.
    public func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        let limit = min(max(1, limit), 5000)
        let rows = try await pool.read(
            tables.names(in: collection, waiting: waiting, after: name, limit: limit),
            within: patience)
        var names: [String] = []
        for row in rows { names.append(try required(row.text(0))) }
        return NamePage(names, isLast: rows.count < limit)
    }

    /// A part of a collection, in the order of the names' bytes.
    ///
    /// - Throws: `PushError` with the code `storage` if the server can't tell.
    public func page(
        of collection: String, after name: String?, limit: Int
    ) async throws(PushError) -> StorePage {
        try await page(limit) { last, count in
            tables.page(of: collection, after: last?.name ?? name, limit: count)
        } collection: { _ in
            collection
        }
    }

    /// A part of everything, in the order of the keys' bytes.
    ///
    /// - Throws: `PushError` with the code `storage` if the server can't tell.
    public func page(
        after key: RecordKey?, limit: Int
    ) async throws(PushError) -> StorePage {
        try await page(limit) { last, count in
            tables.everything(after: last ?? key, limit: count)
        } collection: {
            $0.text(3)
        }
    }

    /// Makes a page of as many trips as it takes.
    private func page(
        _ limit: Int, _ statement: (RecordKey?, Int) -> PostgresStatement,
        collection: (PostgresRow) -> String?
    ) async throws(PushError) -> StorePage {
        let limit = max(1, limit)
        var records: [StoredRecord] = []
        var size = PostgresTables.pageSize
        while true {
            let wanted = min(size, limit - records.count)
            let rows: [PostgresRow]
            do throws(PushError) {
                rows = try await pool.read(
                    statement(records.last?.key, wanted), within: patience, revisionAt: 2)
            } catch  where (error.underlying as? PostgresFailure) == .tooLarge && wanted > 1 {
                size = wanted / 2
                continue
            }
            for row in rows {
                guard let content = row.content(at: 1) else { continue }
                let (name, collection) = (
                    try required(row.text(0)), try required(collection(row))
                )
                records.append(
                    StoredRecord(RecordKey(collection, name), .success(content)))
            }
            if rows.count < wanted { return StorePage(records, isLast: true) }
            if records.count >= limit { return StorePage(records, isLast: false) }
            // One request isn't cancelled, but no other follows for a caller who is gone.
            guard !Task.isCancelled else {
                throw PushError(
                    .cancelled, "The caller has gone while PostgreSQL's records were listed.")
            }
        }
    }

    /// A name, as this store wrote it.
    private func required(_ name: String?) throws(PushError) -> String {
        guard let name else {
            throw PushError(
                .storage,
                "A record's name in PostgreSQL isn't UTF-8, so something else wrote it: take it away."
            )
        }
        return name
    }

    // MARK: Writing

    /// Writes a record, if nobody else changed it meanwhile. It is durable when this returns.
    ///
    /// - Throws: `PushError` with the code `conflict` if the record's revision is another one,
    ///   `invalidArgument` if the value is larger than 64 MiB or the name longer than 2,600 bytes,
    ///   `storage` if it couldn't be written, and then nothing has changed; `storageUnknown` if the
    ///   reply was lost, and nobody can say.
    @discardableResult
    public func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        let change: StoreChange
        switch (value, revision) {
        case (let value?, let revision?): change = .replace(key, revision, with: value)
        case (let value?, nil): change = .create(key, value)
        case (nil, let revision?): change = .delete(key, revision)
        case (nil, nil):
            guard try await read(key) == nil else {
                throw PushError(.conflict, "Another writer was first.")
            }
            return nil
        }
        try Self.check(change)
        return try await writer.make([PostgresChange(change, waits: waits)]).first ?? nil
    }

    /// Makes several changes by one statement, or none of them. No work waits in what they write.
    ///
    /// - Throws: `PushError` with the code `conflict` and a refusal that has the record as it is,
    ///   `invalidArgument` if there are more than 1,000, two of one record, or one that
    ///   ``write(_:for:replacing:waits:)`` wouldn't take; `storage` or `storageUnknown`, as that.
    @discardableResult
    public func commit(_ changes: [StoreChange]) async throws(PushError) -> [Revision?] {
        guard !changes.isEmpty else { return [] }
        guard changes.count <= Self.maximumChanges,
            Set(changes.map(\.key)).count == changes.count
        else {
            throw PushError(
                .invalidArgument, "A commit has up to 1,000 changes, each of another record.")
        }
        for change in changes { try Self.check(change) }
        return try await writer.make(changes.map { PostgresChange($0) })
    }

    private static func check(_ change: StoreChange) throws(PushError) {
        let size =
            switch change {
            case .create(_, let value), .replace(_, _, let value): value.count
            case .delete, .exists: 0
            }
        guard size <= maximumValue else {
            throw PushError(.invalidArgument, "The value is larger than 64 MiB.")
        }
        guard
            change.key.collection.utf8.count + change.key.name.utf8.count
                <= PostgresTables.maximumName
        else {
            throw PushError(
                .invalidArgument, "Collection and name have more than 2,600 bytes together.")
        }
    }

    /// Does nothing: the database keeps no record that it can't read.
    ///
    /// - Throws: `PushError` with the code `conflict` if there is a record, `storage` if the server
    ///   can't tell.
    public func discard(_ key: RecordKey) async throws(PushError) {
        guard try await read(key) == nil else {
            throw PushError(.conflict, "The record isn't damaged.")
        }
    }

    // MARK: Set-up

    /// What of the server's set-up lets it forget what it has confirmed.
    ///
    /// - Throws: `PushError` with the code `storage` if the server can't tell.
    public func concerns() async throws(PushError) -> [Concern] {
        guard let row = try await pool.read(tables.durability, within: patience).first else {
            return []
        }
        var concerns: [Concern] = []
        if row.text(0) == "off" { concerns.append(.writesStayInMemory) }
        if row.text(1) == "off" { concerns.append(.pagesMayTear) }
        if row.text(2) == "" { concerns.append(.noSynchronousStandby) }
        return concerns
    }
}

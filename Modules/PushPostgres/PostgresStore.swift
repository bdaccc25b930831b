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

    /// Yes.
    public var isShared: Bool { true }

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
            tables.read(all: keys), within: patience, revisionAt: 1)
        return zip(keys, rows).map { StoredRecord($0, .success($1.content(at: 0))) }
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

    /// A part of everything, at most 250 records, in the order of the keys' bytes.
    ///
    /// - Throws: `PushError` with the code `storage` if the server can't tell.
    public func page(after key: RecordKey?, limit: Int) async throws(PushError) -> (
        records: [StoredRecord], isLast: Bool
    ) {
        var limit = min(max(1, limit), PostgresTables.pageSize)
        while true {
            do throws(PushError) {
                let rows = try await pool.read(
                    tables.everything(after: key, limit: limit), within: patience, revisionAt: 3)
                var records: [StoredRecord] = []
                for row in rows {
                    let key = RecordKey(try required(row.text(0)), try required(row.text(1)))
                    records.append(StoredRecord(key, .success(row.content(at: 2))))
                }
                return (records, isLast: rows.count < limit)
            } catch  where (error.underlying as? PostgresFailure) == .tooLarge && limit > 1 {
                limit /= 2
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
        guard value != nil || revision != nil else {
            if let found = try await read(key) {
                throw PushError(.conflict, "Another writer was first.", found: found)
            }
            return nil
        }
        guard (value?.count ?? 0) <= Self.maximumValue else {
            throw PushError(.invalidArgument, "The value is larger than 64 MiB.")
        }
        guard key.collection.utf8.count + key.name.utf8.count <= PostgresTables.maximumName else {
            throw PushError(
                .invalidArgument, "Collection and name have more than 2,600 bytes together.")
        }
        let change = PostgresChange(key, value, replacing: revision, waits: waits)
        try await writer.make(change)
        return change.new?.revision
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

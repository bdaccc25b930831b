import PushCore

/// The store's tables in one schema, and every statement that is made of them.
struct PostgresTables: Sendable {
    /// The form of the tables that this version reads and writes.
    static let format = 2

    /// How many revisions a record remembers: by them a write whose reply was lost finds out whether
    /// it happened, unless more than these came after it.
    static let chain = 16

    /// PostgreSQL keeps collection and name in an index, whose entries have a limit.
    static let maximumName = 2600

    /// How many records one trip brings.
    static let pageSize = 250

    private let schema: String
    private let table: String

    /// - Throws: `PushError` with the code `invalidArgument` if it can't be a schema's name.
    init(schema: String) throws(PushError) {
        self.schema = try Self.quote(schema, "schema")
        table = self.schema + ".push_record"
    }

    /// An identifier, whatever is in it.
    private static func quote(_ name: String, _ what: String) throws(PushError) -> String {
        guard (1...63).contains(name.utf8.count), !name.utf8.contains(0), !name.contains("$") else {
            throw PushError(
                .invalidArgument, "A \(what)'s name has 1 to 63 bytes, and no dollar sign.")
        }
        var quoted = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    // MARK: Set-up

    /// What each connection asks first: it sets what the promises need, and looks for the format.
    ///
    /// A write must be durable, whatever the role's default is. Rows are found by their key, whatever
    /// the planner believes of a table that has just been filled, so a statement is planned once. The
    /// server gives up before its client does, so that fewer replies are in doubt.
    var greeting: PostgresStatement {
        PostgresStatement(
            "",
            """
            SELECT format, (SELECT system_identifier FROM pg_control_system()),
              pg_walfile_name(\(Self.place)), \(Self.place),
              set_config('synchronous_commit', CASE
                WHEN current_setting('synchronous_commit') IN ('on', 'remote_apply')
                THEN current_setting('synchronous_commit') ELSE 'on' END, false),
              set_config('default_transaction_isolation', 'read committed', false),
              set_config('statement_timeout', '2500', false),
              set_config('lock_timeout', '2000', false),
              set_config('enable_seqscan', 'off', false),
              set_config('enable_hashjoin', 'off', false),
              set_config('enable_mergejoin', 'off', false),
              set_config('plan_cache_mode', 'force_generic_plan', false),
              set_config('search_path', 'pg_catalog', false)
            FROM \(schema).push_store
            """)
    }

    /// What the greeting's rows mean.
    static func judge(_ rows: [PostgresRow]) -> PushError? {
        let found = rows.compactMap { $0.number(0) }
        guard found != [format] else { return nil }
        return PushError(
            .storage,
            found.count == 1
                ? "The store's tables have format \(found[0]); this version reads format \(format)."
                : "The table push_store hasn't one row that says its format.")
    }

    /// Makes what isn't there, in one transaction.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if it can't be a role's name.
    func preparation(for role: String?) throws(PushError) -> PostgresStatement {
        let role = try role.map { (role) throws(PushError) in try Self.quote(role, "role") }
        let grants =
            role.map {
                """
                GRANT USAGE ON SCHEMA \(schema) TO \($0);
                GRANT SELECT ON \(schema).push_store TO \($0);
                GRANT SELECT, INSERT, UPDATE, DELETE ON \(table) TO \($0);
                """
            } ?? ""
        return PostgresStatement(
            "",
            """
            DO $prepare$ BEGIN
              PERFORM pg_advisory_xact_lock(hashtext('push_store'));
              IF to_regnamespace('\(schema.literal)') IS NULL THEN CREATE SCHEMA \(schema); END IF;
              IF to_regclass('\(schema.literal).push_store') IS NULL THEN
                CREATE TABLE \(schema).push_store (format integer NOT NULL);
                INSERT INTO \(schema).push_store VALUES (\(Self.format));
                CREATE TABLE \(table) (
                  collection bytea NOT NULL, name bytea NOT NULL, revision bigint NOT NULL,
                  value bytea NOT NULL, previous bigint[] NOT NULL DEFAULT '{}',
                  waits boolean NOT NULL DEFAULT false,
                  PRIMARY KEY (collection, name)) WITH (fillfactor = 70);
                -- What is sealed can't be compressed.
                ALTER TABLE \(table) ALTER COLUMN value SET STORAGE EXTERNAL;
                CREATE INDEX push_record_waits ON \(table) (collection, name) WHERE waits;
              END IF;
              \(grants)
            END $prepare$
            """)
    }

    // MARK: Reading

    func read(_ key: RecordKey) -> PostgresStatement {
        PostgresStatement(
            "read", "SELECT value, revision FROM \(table) WHERE collection = $1 AND name = $2",
            [.bytes(key.collection), .bytes(key.name)])
    }

    /// The records of some keys in their order, with NULL for one that isn't there.
    func look(at keys: [RecordKey]) -> PostgresStatement {
        PostgresStatement(
            "look",
            """
            SELECT value, revision, previous
            FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS wanted (collection, name, place)
            LEFT JOIN \(table) AS kept USING (collection, name) ORDER BY place
            """, [.list(keys.map(\.collection)), .list(keys.map(\.name))])
    }

    /// Names in the order of their bytes, after one; or those of the records in which work waits,
    /// by their own index.
    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) -> PostgresStatement {
        waiting
            ? list("waiting", "name", collection, "AND waits", after: name, limit)
            : list("names", "name", collection, after: name, limit)
    }

    /// The same with values.
    func page(of collection: String, after name: String?, limit: Int) -> PostgresStatement {
        list("page", "name, value, revision", collection, after: name, limit)
    }

    private func list(
        _ name: String, _ columns: String, _ collection: String, _ condition: String = "",
        after last: String?, _ limit: Int
    ) -> PostgresStatement {
        // The first name may be the empty one.
        PostgresStatement(
            last == nil ? "first \(name)" : name,
            """
            SELECT \(columns) FROM \(table)
            WHERE collection = $1 AND name \(last == nil ? ">=" : ">") $2 \(condition)
            ORDER BY name LIMIT $3
            """, [.bytes(collection), .bytes(last ?? ""), .number(UInt64(limit))])
    }

    /// Records of every collection, in the order of their keys' bytes, after one.
    func everything(after key: RecordKey?, limit: Int) -> PostgresStatement {
        PostgresStatement(
            key == nil ? "first of all" : "all",
            """
            SELECT name, value, revision, collection FROM \(table)
            WHERE (collection, name) \(key == nil ? ">=" : ">") ($1, $2)
            ORDER BY collection, name LIMIT $3
            """,
            [
                .bytes(key?.collection ?? ""), .bytes(key?.name ?? ""), .number(UInt64(limit)),
            ])
    }

    /// A transaction that changes nothing, and ends once everything before it is where the server
    /// promises it to be, such as on its standby.
    var barrier: PostgresStatement {
        PostgresStatement(
            "barrier", "SELECT pg_logical_emit_message(true, 'push', ''::text) IS NOT NULL")
    }

    /// What the server does with what it has taken.
    var durability: PostgresStatement {
        PostgresStatement(
            "",
            """
            SELECT current_setting('fsync'), current_setting('full_page_writes'),
              current_setting('synchronous_standby_names')
            """)
    }

    // MARK: Changing

    /// How far the log is, of which a write says what it has confirmed.
    private static let place = "pg_current_wal_insert_lsn()"

    /// One statement that makes all changes, or none: then it has no row, or divides by zero.
    func commit(_ changes: [PostgresChange]) -> PostgresStatement {
        // In one order for everybody, so that two commits don't wait for each other.
        let changes = changes.sorted { $0.key.precedes($1.key) }
        var values: [PostgresStatement.Value] = []
        var parts: [String] = []
        for change in changes {
            parts.append(part(change, &values))
        }
        let kinds = changes.map(\.kind.rawValue).joined()
        // The server tells prepared statements apart by the first 63 bytes of their names.
        let name = kinds.utf8.count < 64 ? kinds : ""
        guard parts.count != 1 else { return PostgresStatement(name, parts[0], values) }
        let steps = parts.enumerated().map { "w\($0) AS MATERIALIZED (\($1))" }
        let conditions = parts.indices.map { "(SELECT count(*) FROM w\($0)) = 1" }
        return PostgresStatement(
            name,
            """
            WITH \(steps.joined(separator: ", "))
            SELECT 1 / CASE WHEN \(conditions.joined(separator: " AND ")) THEN 1 ELSE 0 END, \(Self.place)
            """, values)
    }

    /// The part of one change, which returns a row if its condition holds.
    private func part(
        _ change: PostgresChange, _ values: inout [PostgresStatement.Value]
    ) -> String {
        let first = values.count + 1
        func place(_ index: Int) -> String { "$\(first + index)" }
        values += [.bytes(change.key.collection), .bytes(change.key.name)] + change.values
        let isIt = "collection = \(place(0)) AND name = \(place(1))"
        switch change.kind {
        case .create:
            return """
                INSERT INTO \(table) (collection, name, revision, value, waits)
                VALUES (\(place(0)), \(place(1)), \(place(2)), \(place(3)), \(place(4)))
                ON CONFLICT DO NOTHING RETURNING \(Self.place)
                """
        case .replace:
            return """
                UPDATE \(table) SET revision = \(place(2)), value = \(place(3)),
                waits = \(place(4)), previous = (revision || previous)[1:\(Self.chain)]
                WHERE \(isIt) AND revision = \(place(5)) RETURNING \(Self.place)
                """
        case .delete:
            return """
                DELETE FROM \(table) WHERE \(isIt) AND revision = \(place(2)) RETURNING \(Self.place)
                """
        case .exists:
            return "SELECT 1 FROM \(table) WHERE \(isIt) FOR SHARE"
        }
    }
}

extension String {
    /// What stands between the quotes of a text in SQL.
    fileprivate var literal: String {
        reduce(into: "") { $0 += $1 == "'" ? "''" : String($1) }
    }
}

extension PostgresRow {
    /// An `integer`.
    func number(_ column: Int) -> Int? {
        secret(column)?.withBytes { bytes in
            bytes.count == 4 ? Int(bytes.reduce(0) { $0 << 8 | UInt32($1) }) : nil
        }
    }
}

extension RecordKey {
    /// The order of the keys' bytes.
    fileprivate func precedes(_ other: RecordKey) -> Bool {
        collection.hasSameBytes(as: other.collection)
            ? name.utf8.lexicographicallyPrecedes(other.name.utf8)
            : collection.utf8.lexicographicallyPrecedes(other.collection.utf8)
    }
}

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

    /// A record, and the revisions before it.
    func read(_ key: RecordKey) -> PostgresStatement {
        PostgresStatement(
            "read",
            "SELECT value, revision, previous FROM \(table) WHERE collection = $1 AND name = $2",
            [.bytes(key.collection), .bytes(key.name)])
    }

    /// The records of some keys in their order, with NULL for one that isn't there.
    func read(all keys: [RecordKey]) -> PostgresStatement {
        PostgresStatement(
            "read all",
            """
            SELECT value, revision
            FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS wanted (collection, name, place)
            LEFT JOIN \(table) AS kept USING (collection, name) ORDER BY place
            """, [.list(keys.map(\.collection)), .list(keys.map(\.name))])
    }

    /// Names in the order of their bytes, after one; or those of the records in which work waits,
    /// by their own index.
    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) -> PostgresStatement {
        // The first name may be the empty one.
        PostgresStatement(
            (name == nil ? "first " : "") + (waiting ? "waiting" : "names"),
            """
            SELECT name FROM \(table) WHERE collection = $1 AND name \(name == nil ? ">=" : ">") $2
            \(waiting ? "AND waits" : "") ORDER BY name LIMIT $3
            """, [.bytes(collection), .bytes(name ?? ""), .number(UInt64(limit))])
    }

    /// Records of every collection, in the order of their keys' bytes, after one.
    func everything(after key: RecordKey?, limit: Int) -> PostgresStatement {
        PostgresStatement(
            key == nil ? "first of all" : "all",
            """
            SELECT collection, name, value, revision FROM \(table)
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

    /// Makes a change, and returns a row, if its condition holds.
    func make(_ change: PostgresChange) -> PostgresStatement {
        var values: [PostgresStatement.Value] = [
            .bytes(change.key.collection), .bytes(change.key.name),
        ]
        if let old = change.old { values.append(.number(old.value)) }
        if let new = change.new {
            values += [.number(new.revision.value), .secret(new.value), .flag(change.waits)]
        }
        let isOld = "collection = $1 AND name = $2 AND revision = $3"
        let (name, text) =
            if change.old == nil {
                (
                    "create",
                    """
                    INSERT INTO \(table) (collection, name, revision, value, waits)
                    VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
                    """
                )
            } else if change.new == nil {
                ("delete", "DELETE FROM \(table) WHERE \(isOld)")
            } else {
                (
                    "replace",
                    """
                    UPDATE \(table) SET revision = $4, value = $5, waits = $6,
                    previous = (revision || previous)[1:\(Self.chain)] WHERE \(isOld)
                    """
                )
            }
        return PostgresStatement(name, "\(text) RETURNING \(Self.place)", values)
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

#if os(Linux)
import PushCore
import PushTesting
import Testing

@testable import PushPostgres

/// What is wrong with a set-up is said in words that help, and nothing looks empty then.
struct PostgresOpeningTests {
    private func failure(
        _ configuration: PostgresStore.Configuration
    ) async -> PushError? {
        await #expect(throws: PushError.self) { try await PostgresStore(configuration) }
    }

    @Test func `without libpq a store says which package to install`() async throws {
        let error = await failure(.init("postgres://a@b/c", library: "/nowhere/libpq.so.5"))
        #expect(error?.code == .unsupported)
        #expect(error?.reason.contains("package libpq5") == true)
        #expect(error?.reason.contains("/nowhere/libpq.so.5") == true)
    }

    @Test func `a library that isn't libpq is refused`() async throws {
        let error = await failure(.init("postgres://a@b/c", library: "libm.so.6"))
        #expect(error?.code == .unsupported)
        #expect(error?.reason.contains("no function PQconninfoParse") == true)
    }

    @Test(arguments: [
        "postgres://a:hidden@b:port:port/c", "hidden", "host=a,b hostaddr=1.1.1.1,2.2.2.2,3.3.3.3",
        "host=a,b port=1,2,3 password=hidden",
    ])
    func `what isn't a connection string is refused, and not repeated`(_ address: String) async {
        let error = await failure(.init(address))
        #expect(error?.code == .invalidArgument)
        #expect(error.map { "\($0)".contains("hidden") } == false)
    }

    @Test func `a server that isn't there is named once the patience is over`() async throws {
        let port = try LoopbackServer.deafPort()
        let error = await failure(
            .init(
                "postgres://a:hidden@127.0.0.1:\(port)/c?sslmode=disable",
                patience: .milliseconds(300)))
        #expect(error?.code == .storage)
        #expect(error?.reason.contains("PostgreSQL can't be reached") == true)
        #expect(error.map { "\($0)".contains("hidden") } == false)
    }

    @Test func `without TLS no connection is made, unless the address says so`() async throws {
        let server = try await PostgresServer.shared.value
        let error = await failure(
            .init(
                "postgres://postgres@127.0.0.1:\(server.port)/postgres",
                patience: .milliseconds(200)))
        #expect(error?.code == .storage)
    }

    @Test func `a schema without tables is said to be one`() async throws {
        let server = try await PostgresServer.shared.value
        try server.query("CREATE SCHEMA hollow")
        for schema in ["hollow", "nowhere"] {
            let error = await failure(.init(server.address(), schema: schema))
            #expect(error?.code == .storage)
            #expect(error?.reason.contains("make them with `PostgresStore.prepare`") == true)
        }
    }

    @Test func `what waits has an index of its own, and values aren't compressed`() async throws {
        let server = try await PostgresServer.shared.value
        let store = try await server.store("waiting")
        for number in 0..<300 {
            try await store.write(
                Secret([UInt8](repeating: 7, count: 3000)), for: RecordKey("a", "\(number)"),
                replacing: nil, waits: number == 7)
        }
        let statement = try PostgresTables(schema: "waiting")
            .names(in: "a", waiting: true, after: nil, limit: 10)
        let plan = try server.query(
            "SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan; "
                + "PREPARE waiting (bytea, bytea, bigint) AS \(statement.text); "
                + "EXPLAIN EXECUTE waiting ('a', '', 10)")
        #expect(plan.contains("push_record_waits"), "\(plan)")
        #expect(try await store.names(in: "a", waiting: true) == ["7"])
        #expect(
            try server.query("SELECT min(pg_column_size(value)) FROM waiting.push_record")
                == "3000")
    }

    @Test func `tables of another format are left alone`() async throws {
        let server = try await PostgresServer.shared.value
        let store = try await server.store("later")
        try await store.write(Secret([1]), for: RecordKey("a", "b"), replacing: nil)
        try server.query("UPDATE later.push_store SET format = 3")
        let error = await failure(.init(server.address(), schema: "later"))
        #expect(error?.code == .storage)
        #expect(error?.reason == "The store's tables have format 3; this version reads format 2.")
        // Preparing again changes nothing about that.
        try await PostgresStore.prepare(.init(server.address(), schema: "later"))
        #expect(try server.query("SELECT format FROM later.push_store") == "3")
        try server.query("DELETE FROM later.push_store")
        #expect(await failure(.init(server.address(), schema: "later"))?.code == .storage)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a wrong password and a database that isn't there are told apart, and not tried again`()
        async throws
    {
        let server = try await PostgresServer.shared.value
        let patience = Duration.seconds(3600)
        let noBase = await failure(
            .init(
                "postgres://postgres@127.0.0.1:\(server.port)/nowhere?sslmode=disable",
                patience: patience))
        #expect(noBase?.reason.contains("The server has no such database") == true)
        let noRole = await failure(
            .init(server.address(role: "nobody"), patience: patience))
        #expect(noRole?.code == .storage)
        #expect(noRole?.reason.contains("check its name, password and pg_hba.conf") == true)
    }

    @Test func `a right that can't be granted puts nothing in doubt`() async throws {
        let server = try await PostgresServer.shared.value
        for role in ["granted", "ungranted"] { try server.query("CREATE ROLE \(role) LOGIN") }
        try await PostgresStore.prepare(
            .init(server.address(), schema: "granting"), for: "granted")
        // The server warns, with the code 01007, that no rights were granted.
        try await PostgresStore.prepare(
            .init(server.address(role: "granted"), schema: "granting"), for: "ungranted")
        let error = await failure(
            .init(server.address(role: "ungranted"), schema: "granting"))
        #expect(error?.code == .storage)
    }

    @Test(arguments: ["", "a$b", "a\u{0}", String(repeating: "s", count: 64)])
    func `what can't be a schema's name is refused`(_ name: String) async {
        #expect(await failure(.init("postgres://a@b/c", schema: name))?.code == .invalidArgument)
    }

    @Test func `the server that takes writes is found among several`() async throws {
        let server = try await PostgresServer.shared.value
        let deaf = try LoopbackServer.deafPort()
        try await PostgresStore.prepare(.init(server.address(), schema: "several"))
        let store = try await PostgresStore(
            .init(
                "postgres://postgres@127.0.0.1:\(deaf),127.0.0.1:\(server.port)/postgres"
                    + "?sslmode=disable", schema: "several"))
        try await store.write(Secret([1]), for: RecordKey("a", "b"), replacing: nil)
        #expect(try await store.names(in: "a") == ["b"])
    }

    @Test func `each of several servers is asked at its own port, or at PostgreSQL's`() async throws
    {
        let library = try await PostgresLibrary.load(nil)
        for (hosts, ports) in [
            ("one,two,three", ["5432", "5432", "5432"]), ("one:1,two,three:3", ["1", "5432", "3"]),
        ] {
            let address = try PostgresAddress(
                Secret(copying: "postgres://role@\(hosts)/database"), library)
            let told = address.servers.map { server in
                // A later value replaces an earlier one, and an empty one none.
                address.options(of: server).last { $0.keyword == "port" && $0.value.count > 0 }?
                    .value.copiedText()
            }
            #expect(told == ports)
        }
    }

    @Test func `a role's own settings don't make a write less than durable`() async throws {
        let server = try await PostgresServer.shared.value
        try server.query("CREATE ROLE careless LOGIN")
        try server.query("ALTER ROLE careless SET synchronous_commit = off")
        try await PostgresStore.prepare(
            .init(server.address(), schema: "careless"), for: "careless")
        let configuration = PostgresStore.Configuration(
            server.address(role: "careless"), schema: "careless")
        let tables = try PostgresTables(schema: "careless")
        let pool = PostgresPool(
            try await configuration.session(greeting: tables.greeting, PostgresTables.judge),
            count: 1)
        let rows = try await pool.read(
            PostgresStatement("", "SELECT current_setting('synchronous_commit')"),
            within: .seconds(5))
        #expect(rows.first?.text(0) == "on")
    }

    @Test func `what lets a server forget is found`() async throws {
        let server = try await PostgresServer.shared.value
        #expect(try await server.store("concerns").concerns() == [.noSynchronousStandby])
        let careless = try await PostgresServer.start(["fsync=off", "full_page_writes=off"])
        #expect(
            try await careless.store("concerns").concerns()
                == [.writesStayInMemory, .pagesMayTear, .noSynchronousStandby])
        try await careless.stop()
    }
}
#endif

#if os(Linux)
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPostgres

/// Servers that aren't what they were, or what they say, and what may stand before them.
struct PostgresDistrustTests {
    private let key = RecordKey("a", "b")

    private func run(_ words: [String]) throws {
        let (output, isSuccess) = try Spawned(words).end()
        guard isSuccess else { throw PostgresServer.Failure(description: output) }
    }

    // MARK: Servers that went back

    @Test func `a server that was put back is noticed by a store that ran all the while`()
        async throws
    {
        let server = try await PostgresServer.start()
        let store = try await server.store("past")
        let first = try await store.write(Secret([1]), for: key, replacing: nil)
        let copy = FileManager.default.temporaryDirectory
            .appendingPathComponent("push-postgres-\(UUID().uuidString)").path
        defer { _ = try? Spawned(["rm", "-rf", copy]).end() }
        try await server.killAndRestart { data in
            try run(["cp", "-a", data, copy])
        }
        // A crash alone is none.
        var last = try await store.write(Secret([2]), for: key, replacing: first)
        for _ in 0..<20 { last = try await store.write(Secret([3]), for: key, replacing: last) }
        try await server.killAndRestart { data in
            try run(["rm", "-rf", data])
            try run(["cp", "-a", copy, data])
        }
        let read = await #expect(throws: PushError.self) { try await store.read(key) }
        #expect(read?.code == .storage && read?.reason.contains("went back") == true)
        let write = await #expect(throws: PushError.self) {
            try await store.write(Secret([4]), for: RecordKey("c", "d"), replacing: nil)
        }
        #expect(write?.code == .storage)
        // One that starts afterwards can't know.
        let later = try await server.store("past")
        #expect(try await later.read(key)?.revision == first)
        try await server.stop()
    }

    private func greeting(_ system: UInt8, _ timeline: String, _ position: UInt8) -> [PostgresRow] {
        func number(_ value: UInt8) -> Secret { Secret([0, 0, 0, 0, 0, 0, 0, value]) }
        let format = Secret([0, 0, 0, 1])
        return [
            PostgresRow(
                columns: [
                    format, number(system), Secret((timeline + "0000000000000001").utf8),
                    number(position),
                ])
        ]
    }

    @Test func `another system, an older timeline and an older place are refused, later ones not`()
    {
        let past = PostgresPast()
        func refusal(_ system: UInt8, _ timeline: String, _ position: UInt8) -> String? {
            past.refusal(of: greeting(system, timeline, position), after: past.known)?.reason
        }
        #expect(refusal(1, "0000000A", 50) == nil)
        // What no write has confirmed may be lost with its server.
        #expect(refusal(1, "0000000A", 40) == nil)
        past.note(greeting(1, "", 60))
        #expect(refusal(1, "0000000A", 59)?.contains("went back") == true)
        #expect(refusal(1, "0000000B", 59)?.contains("went back") == true)
        #expect(refusal(1, "0000000B", 60) == nil)
        #expect(refusal(1, "0000000A", 90)?.contains("went back") == true)
        #expect(refusal(2, "0000000B", 90)?.contains("isn't the one") == true)
        #expect(past.refusal(of: [], after: nil) != nil)
        // A write that was confirmed while the server was asked says nothing of its reply.
        let before = past.known
        past.note(greeting(1, "", 99))
        #expect(past.refusal(of: greeting(1, "0000000B", 70), after: before) == nil)
    }

    @Test func `a record that this process has replaced never comes back`() async throws {
        let server = try await PostgresServer.shared.value
        let store = try await server.store("replaced")
        let other = RecordKey("a", "c")
        let first = try await store.write(Secret([1]), for: key, replacing: nil)
        let second = try await store.write(Secret([2]), for: key, replacing: first)
        _ = try await store.write(Secret([9]), for: other, replacing: nil)
        // As on a standby that took over without the second write, and has been written to since.
        let session = try await PostgresStore.Configuration(server.address())
            .session(greeting: nil) { _ in nil }
        let undoing = PostgresStatement(
            "",
            "UPDATE replaced.push_record SET revision = \(first?.value ?? 0) "
                + "WHERE revision = \(second?.value ?? 0)")
        _ = try await PostgresPool(session, count: 1).read(undoing, within: .seconds(10))
        let key = key
        let reads: [@Sendable () async throws -> Void] = [
            { _ = try await store.read(key) }, { _ = try await store.read(all: [other, key]) },
            { _ = try await store.page(after: nil, limit: 10) },
            { _ = try await store.write(Secret([3]), for: key, replacing: second) },
        ]
        for read in reads {
            let error = await #expect(throws: PushError.self) { try await read() }
            #expect(error?.code == .storage && error?.reason.contains("went back") == true)
        }
        #expect(try await store.read(other) != nil)
        #expect(try await server.store("replaced").read(key)?.revision == first)
    }

    @Test func `a read that began before a replacement may find what was there`() throws {
        let past = PostgresPast()
        let before = past.replacedCount
        past.note([], replacing: Revision(1))
        try past.check(Revision(1), since: before)
        #expect(throws: PushError.self) {
            try past.check(Revision(1), since: past.replacedCount)
        }
        // The oldest are forgotten.
        for number in UInt64(2)...5000 { past.note([], replacing: Revision(number)) }
        try past.check(Revision(1), since: past.replacedCount)
        #expect(throws: PushError.self) {
            try past.check(Revision(4999), since: past.replacedCount)
        }
    }

    // MARK: Replies without end

    @Test func `names are listed in parts, and no further for a caller who is gone`() async throws {
        let server = try await PostgresServer.shared.value
        let store = try await server.store("names")
        let session = try await PostgresStore.Configuration(server.address())
            .session(greeting: nil) { _ in nil }
        let filling = PostgresStatement(
            "",
            "INSERT INTO names.push_record (collection, name, revision, value) "
                + "SELECT 'a', convert_to(n::text, 'UTF8'), n, 'v' FROM generate_series(1, 12000) n"
        )
        _ = try await PostgresPool(session, count: 1).read(filling, within: .seconds(60))
        #expect(try await store.names(in: "a").count == 12_000)
        let gone = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.names(in: "a")
        }
        let error = await #expect(throws: PushError.self) { try await gone.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `a reply without end is cut off at a bound, and the connection with it`()
        async throws
    {
        let server = try await PostgresServer.shared.value
        var configuration = PostgresStore.Configuration(server.address())
        configuration.maximumReply = 1 << 20
        let session = try await configuration.session(greeting: nil) { _ in nil }
        let pool = PostgresPool(session, count: 1)
        let endless = PostgresStatement(
            "endless", "SELECT repeat('x', 1000), generate_series(1, 1000000000)")
        let error = await #expect(throws: PushError.self) {
            try await pool.read(endless, within: .seconds(600))
        }
        #expect(error?.code == .storage && error?.reason.contains("too large") == true)
        #expect(
            try await pool.read(PostgresStatement("", "SELECT 1"), within: .seconds(10)).count == 1)
    }

    @Test func `records that are too large together are read in parts`() async throws {
        let server = try await PostgresServer.shared.value
        try await PostgresStore.prepare(.init(server.address(), schema: "large"))
        var configuration = PostgresStore.Configuration(server.address(), schema: "large")
        configuration.maximumReply = 1 << 18
        let store = try await PostgresStore(configuration)
        let value = Secret([UInt8](repeating: 7, count: 100_000))
        for name in ["a", "b", "c", "d", "e"] {
            try await store.write(value, for: RecordKey("row", name), replacing: nil)
        }
        var keys: [RecordKey] = []
        var page: (records: [StoredRecord], isLast: Bool)
        repeat {
            page = try await store.page(after: keys.last, limit: 100)
            keys += page.records.map(\.key)
        } while !page.isLast
        #expect(keys.map(\.name) == ["a", "b", "c", "d", "e"])
        let all = await #expect(throws: PushError.self) { try await store.read(all: keys) }
        #expect(all?.code == .storage)
    }

    @Test func `what libpq says is one line of 300 scalars, whatever it is made of`() {
        let marks = String(repeating: "e\u{301}\u{302}", count: 400)
        let failure = PostgresFailure(saying: "FATAL:  28P01\r\n\u{7}\(marks)")
        #expect(failure.state == "28P01" && failure.message.hasPrefix("FATAL:  28P01; "))
        #expect(failure.message.unicodeScalars.count == 300)
    }

    // MARK: A pooler between

    @Test(arguments: ["42P05", "26000"])
    func `what a pooler makes the server say names the pooler`(state: String) {
        let error = PostgresFailure(state: state, message: "").refusal
        #expect(error.code == .storage && error.reason.contains("pool_mode = session"))
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: PgBouncer.path)))
    func `PgBouncer is taken with sessions, and named at the start with transactions`()
        async throws
    {
        let server = try await PostgresServer.shared.value
        try await PostgresStore.prepare(.init(server.address(), schema: "pooled"))
        let sessions = try await PgBouncer("session", to: server.port)
        let store = try await PostgresStore(
            .init(server.address(port: sessions.port), schema: "pooled"))
        try await store.write(Secret([1]), for: key, replacing: nil)
        let transactions = try await PgBouncer("transaction", to: server.port)
        let error = await #expect(throws: PushError.self) {
            try await PostgresStore(
                .init(server.address(port: transactions.port), schema: "pooled"))
        }
        #expect(error?.code == .storage && error?.reason.contains("pool_mode = session") == true)
        try sessions.stop()
        try transactions.stop()
    }
}

/// A pooler between a store and its server, as Debian has it.
private struct PgBouncer {
    static let path = "/usr/sbin/pgbouncer"

    let port: UInt16
    private let shell: Spawned

    private static let script = """
        cd "$0"; "$@" & pid=$!
        while read -r line; do :; done
        kill $pid; wait; rm -rf "$0"
        """

    init(_ mode: String, to server: UInt16) async throws {
        port = try LoopbackServer.deafPort()
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("push-pgbouncer-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let settings = """
            [databases]
            postgres = host=127.0.0.1 port=\(server) dbname=postgres user=postgres
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = any
            pool_mode = \(mode)
            default_pool_size = 10
            """
        let file = folder.appendingPathComponent("pgbouncer.ini")
        try settings.write(to: file, atomically: true, encoding: .utf8)
        if let user = getpwnam("postgres"), geteuid() == 0 {
            chown(folder.path, user.pointee.pw_uid, user.pointee.pw_gid)
        }
        // It refuses to run as root.
        let asUser = geteuid() == 0 ? ["runuser", "-u", "postgres", "--"] : []
        let shell = try Spawned(
            asUser + ["sh", "-c", Self.script, folder.path, Self.path, file.path])
        self.shell = shell
        var log = ""
        while !log.contains("process up") {
            let bytes = shell.output.availableData
            guard !bytes.isEmpty else { throw PostgresServer.Failure(description: log) }
            log += String(decoding: bytes, as: UTF8.self)
        }
    }

    func stop() throws { _ = try shell.end() }
}
#endif

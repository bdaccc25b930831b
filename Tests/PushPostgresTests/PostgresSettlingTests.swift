#if os(Linux)
import PushCore
import PushTesting
import Testing

@testable import PushPostgres

/// What becomes of a write whose reply was lost.
struct PostgresSettlingTests {
    private let key = RecordKey("a", "b")

    /// A proxy that does something to the next pieces, and nothing to others.
    private final class Script: Sendable {
        private let fates = Locked<[LossyProxy.Fate]>([])

        func next(_ fates: LossyProxy.Fate...) {
            self.fates.withLock { $0 = fates }
        }

        func take() -> LossyProxy.Fate {
            fates.withLock { $0.isEmpty ? .passes : $0.removeFirst() }
        }
    }

    /// A store whose connection is open and has prepared what it needs, so that a write is one piece.
    private func store(
        _ schema: String, _ script: Script, patience: Duration = .seconds(10)
    ) async throws -> (lossy: PostgresStore, plain: PostgresStore) {
        let server = try await PostgresServer.shared.value
        let proxy = try LossyProxy(to: server.port, script.take)
        let plain = try await server.store(schema)
        let lossy = try await PostgresStore(
            .init(
                server.address(port: proxy.port), schema: schema, connections: 1,
                patience: patience))
        let warm = RecordKey("warm", "b")
        let first = try await lossy.write(Secret([1]), for: warm, replacing: nil)
        let second = try await lossy.write(Secret([2]), for: warm, replacing: first)
        try await lossy.write(nil, for: warm, replacing: second)
        return (lossy, plain)
    }

    @Test func `a write that happened although its reply was lost is confirmed with its revision`()
        async throws
    {
        let script = Script()
        let (lossy, plain) = try await store("settled", script)
        script.next(.losesReply)
        let first = try await lossy.write(Secret([1]), for: key, replacing: nil)
        #expect(try await plain.read(key)?.revision == first)
        script.next(.losesReply)
        let second = try await lossy.write(Secret([2]), for: key, replacing: first)
        #expect(try await plain.read(key)?.revision == second)
        #expect(try await plain.bytes(key) == [2])
    }

    @Test func `a deletion whose reply was lost can't be told from another's, and says so`()
        async throws
    {
        let script = Script()
        let (lossy, plain) = try await store("deleted", script)
        let first = try await lossy.write(Secret([1]), for: key, replacing: nil)
        script.next(.losesReply)
        let error = await #expect(throws: PushError.self) {
            try await lossy.write(nil, for: key, replacing: first)
        }
        #expect(error?.code == .storageUnknown)
        #expect(try await plain.read(key) == nil)
    }

    @Test func `a record that was made, deleted, and made again by another is unknown, not lost`()
        async throws
    {
        let server = try await PostgresServer.shared.value
        let pieces = Locked<Int?>(nil)
        let proxy = try LossyProxy(to: server.port) {
            let piece = pieces.withLock { pieces in
                pieces = pieces.map { $0 + 1 }
                return pieces
            }
            if piece == 1 { return .losesReply }
            // Before the store asks again, somebody else has been there.
            if piece == 2 {
                _ = try? server.query(
                    "UPDATE aba.push_record SET revision = 7 WHERE collection = 'a'::bytea; "
                        + "DELETE FROM aba.push_record WHERE collection = 'a'::bytea; "
                        + "INSERT INTO aba.push_record VALUES ('a', 'b', 9, 'x')")
            }
            return .passes
        }
        let store = try await server.store("aba", port: proxy.port)
        let warm = try await store.write(Secret([1]), for: RecordKey("w", "b"), replacing: nil)
        pieces.withLock { $0 = 0 }
        let error = await #expect(throws: PushError.self) {
            try await store.write(Secret([1]), for: key, replacing: nil)
        }
        #expect(error?.code == .storageUnknown)
        #expect(try await store.read(key)?.revision == Revision(9))
        #expect(warm != nil)
    }

    @Test func `a reply that doesn't come is waited for as long as a try lasts, and others go on`()
        async throws
    {
        let script = Script()
        let (lossy, plain) = try await store("hanging", script, patience: .seconds(60))
        script.next(.hangs)
        let start = ContinuousClock.now
        async let write = lossy.write(Secret([1]), for: key, replacing: nil)
        for _ in 0..<20 { #expect(try await plain.names(in: "nothing") == []) }
        let revision = try await write
        #expect(try await plain.read(key)?.revision == revision)
        #expect(ContinuousClock.now - start >= .seconds(3))
    }

    @Test
    func `where the server stays away, a write in doubt is unknown and a read isn't possible`()
        async throws
    {
        let server = try await PostgresServer.start()
        let script = Script()
        let proxy = try LossyProxy(to: server.port, script.take)
        let store = try await server.store("away", port: proxy.port, patience: .seconds(1))
        let revision = try await store.write(Secret([1]), for: key, replacing: nil)
        try await store.write(Secret([2]), for: key, replacing: revision)
        let current = try await store.read(key)?.revision
        proxy.stop()
        script.next(.losesReply)
        let lost = await #expect(throws: PushError.self) {
            try await store.write(Secret([3]), for: key, replacing: current)
        }
        #expect(lost?.code == .storageUnknown)
        let unread = await #expect(throws: PushError.self) { try await store.read(key) }
        #expect(unread?.code == .storage)
        // Nothing was sent: so nothing has changed.
        let unsent = await #expect(throws: PushError.self) {
            try await store.write(Secret([4]), for: key, replacing: current)
        }
        #expect(unsent?.code == .storage)
        try await server.stop()
    }

    @Test func `a write that its standby hasn't got is confirmed only once that is settled`()
        async throws
    {
        let server = try await PostgresServer.start()
        let store = try await server.store("standby", patience: .seconds(20))
        let hasty = try await server.store("standby", patience: .seconds(1))
        let first = try await store.write(Secret([1]), for: key, replacing: nil)
        try server.query("ALTER SYSTEM SET synchronous_standby_names = 'absent'")
        try server.query("SELECT pg_reload_conf()")
        try await until("the setting holds") { try await store.concerns().isEmpty }
        // The server doesn't end the wait by itself.
        let other = RecordKey("a", "other")
        let unknown = await #expect(throws: PushError.self) {
            try await hasty.write(Secret([1]), for: other, replacing: nil)
        }
        #expect(unknown?.code == .storageUnknown)
        // An administrator does: it is visible then, and still no standby has it.
        let waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        async let write = store.write(Secret([2]), for: key, replacing: first)
        try await until("the write waits") {
            try !server.query(waiting + " AND query LIKE 'UPDATE%'").isEmpty
        }
        try server.query("SELECT pg_cancel_backend(pid) FROM (\(waiting)) AS waiting")
        try await until("the write is visible") {
            try !server.query("SELECT 1 FROM standby.push_record WHERE value = '\\x02'").isEmpty
        }
        // What confirms it is the transaction that waits.
        try await until("the last transaction waits") {
            try !server.query(waiting + " AND query LIKE '%pg_logical_emit_message%'").isEmpty
        }
        try server.query("ALTER SYSTEM RESET synchronous_standby_names")
        try server.query("SELECT pg_reload_conf()")
        let second = try await write
        #expect(try await store.read(key)?.revision == second)
        try await server.stop()
    }

    /// Waits for something that only the server's own tables show.
    private func until(
        _ summary: String, _ isSo: () async throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + .seconds(15)
        while try await !isSo() {
            try #require(ContinuousClock.now < end, "It doesn't come to this: \(summary).")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    // MARK: What a record tells

    private func found(_ revision: UInt64?, previous: [UInt64] = []) -> PostgresWriter.Found {
        var bytes: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20]
        bytes += [0, 0, 0, UInt8(previous.count), 0, 0, 0, 1]
        for number in previous {
            bytes += [0, 0, 0, 8] + withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
        let number = revision.map { number in
            Secret(withUnsafeBytes(of: number.bigEndian) { Array($0) })
        }
        return PostgresWriter.Found(
            PostgresRow(columns: [number.map { _ in Secret([]) }, number, Secret(bytes)]))
    }

    @Test func `whose write stands is told by the revisions, never by the value that is there`() {
        let replacing = PostgresChange(
            key, Secret([]), replacing: Revision(5), waits: false)
        let creating = PostgresChange(key, Secret([]), replacing: nil, waits: false)
        let deleting = PostgresChange(key, nil, replacing: Revision(5), waits: false)
        let mine = replacing.new?.revision.value ?? 0
        let made = creating.new?.revision.value ?? 0
        let many = (100..<116).map { UInt64($0) }
        for (change, record, fate): (PostgresChange, PostgresWriter.Found, PostgresWriter.Fate) in [
            (replacing, found(mine, previous: [5]), .happened),
            (replacing, found(9, previous: [8, mine, 5]), .happened),
            (replacing, found(9, previous: [8, 5]), .didNot),
            (replacing, found(5), .didNot),
            (replacing, found(9, previous: many), .unknown),
            (replacing, found(9), .unknown),
            (replacing, found(nil), .unknown),
            (creating, found(made), .happened),
            (creating, found(9, previous: [made]), .happened),
            (creating, found(9, previous: [8]), .unknown),
            (creating, found(9, previous: many), .unknown),
            (creating, found(nil), .unknown),
            (deleting, found(9, previous: [5]), .didNot),
            (deleting, found(9), .unknown),
            (deleting, found(nil), .unknown),
        ] {
            #expect(PostgresWriter.fate(of: change, record) == fate, "\(change) \(record)")
        }
    }
}

extension CredentialStore {
    fileprivate func bytes(_ key: RecordKey) async throws -> [UInt8]? {
        try await read(key)?.value.withBytes { Array($0) }
    }
}
#endif

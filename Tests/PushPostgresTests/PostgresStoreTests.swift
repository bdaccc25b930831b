#if os(Linux)
import PushCore
import PushPlatform
import PushPostgres
import PushSealing
import PushTesting
import Testing

/// On a real server.
struct PostgresStoreTests {
    @Test func `it keeps the promises of a store`() async throws {
        let store = try await PostgresServer.shared.value.store("conformance")
        let violations = await CredentialStoreConformance(store).check()
        #expect(violations == [])
        #expect(store.isShared)
    }

    @Test func `it keeps them sealed, in a scope, and shows nothing that can be read`() async throws
    {
        let server = try await PostgresServer.shared.value
        let store = try await server.store("sealed")
        let key = KeySource { () async throws(PushError) in Secret(Array(repeating: 7, count: 32)) }
        let sealed = try await SealedStore(store, key: key, tenant: "bank")
        let scoped = ScopedStore(sealed, scope: "d/1")
        #expect(await CredentialStoreConformance(scoped).check() == [])
        #expect(scoped.isShared)
        // The header alone is left.
        #expect(try await store.page(after: nil, limit: 10).records.count == 1)
        try await scoped.write(
            Secret(copying: "hidden value"), for: RecordKey("hidden", "hidden"), replacing: nil)
        let dump = try server.query(
            "SELECT encode(collection || name || value, 'escape') FROM sealed.push_record")
        #expect(!dump.contains("hidden"))
    }

    @Test func `a name that this store didn't write is said, and ends no walk without a word`()
        async throws
    {
        let server = try await PostgresServer.shared.value
        let store = try await server.store("strange")
        _ = try server.query(
            "INSERT INTO strange.push_record (collection, name, revision, value) "
                + "VALUES ('row', '\\xff', 1, '\\x01') RETURNING 1")
        for read in [
            { _ = try await store.page(after: nil, limit: 1) },
            { _ = try await store.names(in: "row") },
        ] as [() async throws -> Void] {
            await #expect { try await read() } throws: {
                ($0 as? PushError)?.code == .storage
                    && ($0 as? PushError)?.reason.contains("isn't UTF-8") == true
            }
        }
    }

    @Test func `two stores of one schema are one`() async throws {
        let server = try await PostgresServer.shared.value
        let (one, other) = (try await server.store("one"), try await server.store("one"))
        let key = RecordKey("a", "b")
        let revision = try await one.write(Secret([1]), for: key, replacing: nil)
        #expect(try await other.read(key)?.revision == revision)
        try await other.write(Secret([2]), for: key, replacing: revision)
        let error = await #expect(throws: PushError.self) {
            try await one.write(Secret([3]), for: key, replacing: revision)
        }
        #expect(error?.code == .conflict)
        #expect(error?.found?.value.withBytes { Array($0) } == [2])
    }

    @Test func `a tenant's role can't read or write another tenant's records`() async throws {
        let server = try await PostgresServer.shared.value
        for tenant in ["bank_a", "bank-b"] {
            try server.query("CREATE ROLE \"\(tenant)\" LOGIN")
            try await PostgresStore.prepare(.init(server.address(), schema: tenant), for: tenant)
        }
        let own = try await PostgresStore(
            .init(server.address(role: "bank-b"), schema: "bank-b"))
        try await own.write(Secret([1]), for: RecordKey("a", "b"), replacing: nil)
        #expect(await CredentialStoreConformance(own).check() == [])
        let error = await #expect(throws: PushError.self) {
            try await PostgresStore(.init(server.address(role: "bank_a"), schema: "bank-b"))
        }
        #expect(error?.code == .storage)
        #expect(error?.reason.contains("The role may not use the store's tables") == true)
        #expect(throws: PostgresServer.Failure.self) {
            try server.query("SET ROLE bank_a; SELECT * FROM \"bank-b\".push_record")
        }
        #expect(throws: PostgresServer.Failure.self) {
            try server.query("SET ROLE \"bank-b\"; DROP TABLE \"bank-b\".push_record")
        }
    }

    @Test func `names are bytes: what isn't ASCII, quotes and zeros come back, in their order`()
        async throws
    {
        let store = try await PostgresServer.shared.value.store("odd \"schema\"'s\n")
        let names = ["", "\u{0}", "'; DROP TABLE push_record; --", "\\x41", "é", "e\u{301}", "😀"]
        for name in names {
            try await store.write(Secret([1]), for: RecordKey("\u{0}'", name), replacing: nil)
        }
        let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(
            try await store.names(in: "\u{0}'").map { Array($0.utf8) }
                == sorted.map { Array($0.utf8) })
        let page = try await store.page(after: RecordKey("\u{0}'", sorted[1]), limit: 3)
        #expect(page.records.map(\.key.name) == Array(sorted[2..<5]))
        #expect(!page.isLast)
    }

    @Test func `a page has 250 records at the most`() async throws {
        let server = try await PostgresServer.shared.value
        let store = try await server.store("pages")
        let keys = (1000..<1620).map { RecordKey("many", "\($0)") }
        try server.query(
            "INSERT INTO pages.push_record (collection, name, revision, value) "
                + "SELECT 'many', convert_to(n::text, 'UTF8'), n, 'v' "
                + "FROM generate_series(1000, 1619) n")
        let page = try await store.page(after: keys[9], limit: 1000)
        #expect(page.records.map(\.key) == Array(keys[10..<260]))
        #expect(!page.isLast)
        let last = try await store.page(after: keys[370], limit: 1000)
        #expect(last.records.map(\.key) == Array(keys[371...]))
        #expect(last.isLast)
        #expect(try await store.read(all: keys).count == 620)
    }

    @Test func `what can't be written is refused before anything is`() async throws {
        let store = try await PostgresServer.shared.value.store("limits")
        let long = RecordKey("c", String(repeating: "n", count: 2600))
        let longest = RecordKey("c", String(long.name.dropLast()))
        try await store.write(Secret([1]), for: longest, replacing: nil)
        #expect(try await store.read(longest) != nil)
        #expect(try await store.read(long) == nil)
        let key = RecordKey("c", "a")
        for (key, value) in [
            (long, Secret([1])), (key, Secret(count: (1 << 26) + 1) { _ in }),
        ] {
            let error = await #expect(throws: PushError.self) {
                try await store.write(value, for: key, replacing: nil)
            }
            #expect(error?.code == .invalidArgument)
        }
        #expect(try await store.read(key) == nil)
    }

    @Test func `a record remembers sixteen revisions, and no more`() async throws {
        let server = try await PostgresServer.shared.value
        let store = try await server.store("chain")
        var revisions: [Revision] = []
        for number in 0..<20 {
            let revision = try await store.write(
                Secret([UInt8(number)]), for: RecordKey("a", "b"), replacing: revisions.last)
            revisions.append(try #require(revision))
        }
        let kept = try server.query("SELECT array_to_string(previous, ',') FROM chain.push_record")
        #expect(
            kept
                == revisions.dropLast().suffix(16).reversed().map { "\($0.value)" }
                .joined(separator: ","))
    }
}
#endif

import PushCore
import PushPlatform
import PushTesting
import Testing

@testable import PushSealing

extension SealedStore {
    static func opened(
        over base: any CredentialStore, key: UInt8 = 0, others: [UInt8] = [],
        tenant: String = "acme", headerAge: Duration = .seconds(30),
        clock: @escaping @Sendable () -> Duration = { .zero }
    ) async throws(PushError) -> SealedStore {
        try await SealedStore(
            base, key: Sample.key(key), others: others.map { Sample.key($0) },
            tenant: tenant, headerAge: headerAge, clock: clock)
    }

    /// Where the store behind has a record.
    func place(of key: RecordKey) async throws(PushError) -> RecordKey {
        try await keyring.current().place(of: key)
    }

    func bytes(_ key: RecordKey) async throws(PushError) -> [UInt8]? {
        try await read(key)?.value.withBytes { Array($0) }
    }
}

extension InMemoryStore {
    func bytes(_ key: RecordKey) async throws(PushError) -> [UInt8]? {
        try await read(key)?.value.withBytes { Array($0) }
    }

    /// Puts a value there, as whoever may write in the engine can, and leaves its mark.
    func force(_ bytes: [UInt8], at key: RecordKey) async throws(PushError) {
        let waits = try await names(in: key.collection, waiting: true).contains(key.name)
        try await write(
            Secret(bytes), for: key, replacing: try await read(key)?.revision, waits: waits)
    }
}

struct SealedStoreTests {
    private let base = InMemoryStore()
    private let key = RecordKey("credential", "ada")

    @Test(arguments: [false, true])
    func `it conforms over another store, and says of itself what that one does`(
        isShared: Bool
    ) async throws {
        let base = InMemoryStore(isShared: isShared)
        let store = try await SealedStore.opened(over: base)
        let damage: @Sendable (RecordKey) async -> Void = { key in
            guard let place = try? await store.place(of: key),
                var bytes = try? await base.bytes(place)
            else { return }
            bytes[bytes.count - 1] ^= 1
            try? await base.force(bytes, at: place)
        }
        #expect(await CredentialStoreConformance(store, damaging: damage).check() == [])
        #expect(store.isShared == isShared)
        // The header alone is left.
        #expect(await base.count == 1)
    }

    @Test func `the store behind sees neither names nor values`() async throws {
        let store = try await SealedStore.opened(over: base)
        let word = Array("credential".utf8)
        try await store.write(
            Secret(word), for: RecordKey("credential", "credential"), replacing: nil)
        for record in try await base.page(after: nil, limit: 10).records {
            let value = try record.content.get()?.value.withBytes { Array($0) } ?? []
            for bytes in [value, Array(record.key.collection.utf8), Array(record.key.name.utf8)] {
                #expect(bytes.firstRange(of: word) == nil)
            }
        }
    }

    @Test func `more records than are kept in mind, and names that look alike, stay apart`()
        async throws
    {
        let store = try await SealedStore.opened(over: base)
        // The same letter to a reader, and in Unicode's eyes.
        let keys =
            ["e\u{301}", "\u{e9}"].map { RecordKey("row", $0) }
            + (0..<1_500).map { RecordKey("row", "\($0)") }
        for (number, key) in keys.enumerated() {
            try await store.write(Secret("\(number)".utf8), for: key, replacing: nil)
        }
        for (number, key) in keys.enumerated() {
            #expect(try await store.bytes(key) == Array("\(number)".utf8))
        }
        let found = try await store.read(all: [keys[1], keys[900], keys[0], keys[1]])
        let texts = try found.map { record in
            try record.content.get()?.value.withBytes { String(decoding: $0, as: UTF8.self) }
        }
        #expect(texts == ["1", "900", "0", "1"])
    }

    @Test func `equal values give different bytes`() async throws {
        let store = try await SealedStore.opened(over: base)
        let first = try await store.write(Secret([1]), for: key, replacing: nil)
        let place = try await store.place(of: key)
        let before = try await base.bytes(place)
        try await store.write(Secret([1]), for: key, replacing: first)
        #expect(try await base.bytes(place) != before)
    }

    @Test func `a flip of any bit makes the record malformed until it is discarded`() async throws {
        let store = try await SealedStore.opened(over: base)
        try await store.write(Secret([1, 2, 3]), for: key, replacing: nil)
        let place = try await store.place(of: key)
        let whole = try #require(try await base.bytes(place))
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 1 << UInt8(index % 8)
            try await base.force(bytes, at: place)
            let code = try await refusal { try await store.read(key) }.code
            // In the key's identifier: it names a key that nobody has.
            #expect(code == ((6..<14).contains(index) ? .storage : .malformed), "\(index)")
        }
        for count in 0..<whole.count {
            try await base.force(Array(whole[..<count]), at: place)
            #expect(try await refusal { try await store.read(key) }.code == .malformed)
        }
        #expect(
            try await refusal { try await store.write(Secret([4]), for: key, replacing: nil) }.code
                == .malformed)
        #expect(try await store.names(in: key.collection) == [key.name])
        try await store.discard(key)
        try await store.write(Secret([4]), for: key, replacing: nil)
        #expect(try await store.bytes(key) == [4])
    }

    @Test(arguments: [false, true])
    func `a refused write comes with the record as it is, or says that it is damaged`(
        isShared: Bool
    ) async throws {
        let base = InMemoryStore(isShared: isShared)
        let store = try await SealedStore.opened(over: base)
        let write = { [key] (revision: Revision?) async throws(PushError) in
            try await store.write(Secret([2]), for: key, replacing: revision)
        }
        let revision = try await store.write(Secret([1]), for: key, replacing: nil)
        let found = try #require(try await refusal { try await write(nil) }.found)
        #expect(found.revision == revision && found.value.withBytes(Array.init) == [1])
        let place = try await store.place(of: key)
        var bytes = try #require(try await base.bytes(place))
        bytes[bytes.count - 1] ^= 1
        try await base.force(bytes, at: place)
        let damaged = try await refusal { try await write(revision) }
        #expect(damaged.code == .malformed && damaged.found == nil)
        try await store.discard(key)
        let gone = try await refusal { try await write(revision) }
        #expect(gone.code == .conflict && gone.found == nil)
    }

    @Test func `a value moved to another name, collection, scope or tenant is refused`()
        async throws
    {
        let store = try await SealedStore.opened(over: base)
        let scoped = ScopedStore(store, scope: "one")
        try await store.write(Secret([1]), for: key, replacing: nil)
        let moved = try #require(try await base.bytes(try await store.place(of: key)))
        let targets = [
            RecordKey("credential", "bob"), RecordKey("row", "ada"),
            RecordKey("3:one/credential", "ada"),
        ]
        for target in targets {
            try await base.force(moved, at: try await store.place(of: target))
            let error = try await refusal { try await store.read(target) }
            #expect(error.code == .malformed)
            #expect(error.reason.contains("of another record"))
        }
        #expect(try await refusal { try await scoped.read(key) }.code == .malformed)
        let elsewhere = InMemoryStore()
        let other = try await SealedStore.opened(over: elsewhere, tenant: "bank")
        try await elsewhere.force(moved, at: try await other.place(of: key))
        #expect(try await refusal { try await other.read(key) }.code == .malformed)
        #expect(try await store.bytes(key) == [1])
    }

    @Test func `a store of another key or tenant, or a damaged header, says so`() async throws {
        let store = try await SealedStore.opened(over: base)
        try await store.write(Secret([1]), for: key, replacing: nil)
        let wrongKey = try await refusal { try await SealedStore.opened(over: base, key: 9) }
        #expect(wrongKey.code == .storage)
        #expect(wrongKey.reason.contains(try await Sample.key(0).keys(for: .records).id))
        let wrongTenant = try await refusal {
            try await SealedStore.opened(over: base, tenant: "bank")
        }
        #expect(wrongTenant.code == .storage)
        #expect(wrongTenant.reason.contains("tenant"))
        let header = try #require(try await base.bytes(SealedHeader.key))
        for index in header.indices {
            var bytes = header
            bytes[index] ^= 1
            try await base.force(bytes, at: SealedHeader.key)
            #expect(try await refusal { try await SealedStore.opened(over: base) }.code == .storage)
        }
        try await base.force(
            Array(SummedLines(title: "push-auth sealed store ", format: 2).text([]).utf8),
            at: SealedHeader.key)
        let newer = try await refusal { try await SealedStore.opened(over: base) }
        #expect(newer.code == .storage)
        #expect(newer.reason.contains("format 2"))
        await base.damage(SealedHeader.key)
        #expect(try await refusal { try await SealedStore.opened(over: base) }.code == .storage)
    }

    @Test func `a record of a newer format is left alone`() async throws {
        let store = try await SealedStore.opened(over: base)
        let place = try await store.place(of: key)
        try await base.force(Array("PASR".utf8) + [2, 253, 0, 0], at: place)
        #expect(try await refusal { try await store.read(key) }.code == .storage)
        #expect(try await refusal { try await store.discard(key) }.code == .storage)
        #expect(try await base.bytes(place)?.count == 8)
    }

    @Test func `a lost header made again by the same key finds every record`() async throws {
        let store = try await SealedStore.opened(over: base)
        try await store.write(Secret([1]), for: key, replacing: nil)
        let revision = try await base.read(SealedHeader.key)?.revision
        try await base.write(nil, for: SealedHeader.key, replacing: revision)
        #expect(try await SealedStore.opened(over: base).bytes(key) == [1])
    }

    @Test func `a process that has read the header makes no other one, so nothing looks empty`()
        async throws
    {
        let store = try await SealedStore.opened(over: base, headerAge: .zero)
        try await store.write(Secret([1]), for: key, replacing: nil)
        let (header, revision) = try #require(try await base.read(SealedHeader.key))
        try await base.write(nil, for: SealedHeader.key, replacing: revision)
        let error = await #expect(throws: PushError.self) { try await store.read(key) }
        #expect(error?.code == .storage && error?.reason.contains("is gone") == true)
        #expect(try await base.read(SealedHeader.key) == nil)
        try await base.write(header, for: SealedHeader.key, replacing: nil)
        #expect(try await store.bytes(key) == [1])
    }

    @Test func `what isn't a name of the store is left out, and hides nothing`() async throws {
        let store = try await SealedStore.opened(over: base)
        for name in ["a", "b", "c"] {
            try await store.write(Secret([1]), for: RecordKey("row", name), replacing: nil)
        }
        let collection = try await store.place(of: RecordKey("row", "a")).collection
        for name in ["!", "zz", "AAAA"] {
            try await base.force([1], at: RecordKey(collection, name))
        }
        #expect(try await store.names(in: "row").sorted() == ["a", "b", "c"])
        var names: [String] = []
        while names.count < 9 {
            let page = try await store.names(
                in: "row", waiting: false, after: names.last, limit: 1)
            names += page.names
            if page.isLast { break }
        }
        #expect(names.sorted() == ["a", "b", "c"])
    }

    @Test func `what a server asks to wait is the whole store's, whatever the scope`() async throws
    {
        let sealed = try await SealedStore.opened(over: base)
        let (one, other) = (
            ScopedStore(sealed, scope: "d/1"), ScopedStore(sealed, scope: "d/2")
        )
        let pause = RecordKey("pause", "acme.example")
        let revision = try await one.write(Secret([1]), for: pause, replacing: nil)
        #expect(try await other.read(pause)?.revision == revision)
        #expect(try await other.names(in: "pause") == ["acme.example"])
        try await other.write(nil, for: pause, replacing: revision)
        #expect(try await one.read(all: [pause]).count == 1)
        #expect(try await one.read(pause) == nil)
    }

    @Test func `scopes share nothing, whatever their texts`() async throws {
        let store = try await SealedStore.opened(over: base)
        let scopes = ["", "a", "ab", "a/b", "1:a/"].map { ScopedStore(store, scope: $0) }
        for (index, scope) in scopes.enumerated() {
            for collection in ["", "b", "/b", "x"] {
                #expect(try await scope.names(in: collection) == [])
                let key = RecordKey(collection, "n")
                try await scope.write(Secret([UInt8(index)]), for: key, replacing: nil)
            }
        }
        for (index, scope) in scopes.enumerated() {
            let found = try await scope.read(RecordKey("x", "n"))?.value.withBytes { Array($0) }
            #expect(found == [UInt8(index)])
        }
        let check = CredentialStoreConformance(scopes[1], prefix: "in a scope")
        #expect(await check.check() == [])
    }
}

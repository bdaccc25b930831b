import Foundation
import PushCore
import PushPlatform
import PushTesting
import Testing

@testable import PushSealing

/// A store whose every collection is a scope's part of the enrollments, so that a check of any store
/// checks these.
private struct EnrollmentsOfScopes: CredentialStore {
    static let collection = "enrollment"
    let base: any CredentialStore

    private func scope(_ collection: String) -> ScopedStore {
        ScopedStore(base, scope: collection)
    }

    private func inside(_ key: RecordKey) -> RecordKey { RecordKey(Self.collection, key.name) }

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await scope(key.collection).read(inside(key))
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        try await scope(key.collection).write(
            value, for: inside(key), replacing: revision, waits: waits)
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        try await scope(key.collection).discard(inside(key))
    }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await scope(collection).names(
            in: Self.collection, waiting: waiting, after: name, limit: limit)
    }

    func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        guard let collection = keys.first?.collection else { return [] }
        let found = try await scope(collection).read(all: keys.map(inside))
        return zip(keys, found).map { StoredRecord($0, $1.content) }
    }
}

struct ScopedStoreTests {
    private static let enrollments = "enrollment"

    /// Scopes that begin or end like one another, or look like what parts them from their names.
    private static let scopes = [
        "", "/", "d", "d/", "d/1", "d/1/", "d/10", "d/2", "1:d", "1:d/", "2:d/", "é", "e\u{301}",
        ":", "\u{600}", "\u{600}/", "\u{301}",
    ]

    @Test(arguments: [false, true])
    func `a scope's part of the enrollments conforms as a collection of its own`(
        isSealed: Bool
    ) async throws {
        let base = InMemoryStore()
        let store: any CredentialStore =
            isSealed ? try await SealedStore.opened(over: base) : base
        #expect(await CredentialStoreConformance(EnrollmentsOfScopes(base: store)).check() == [])
        #expect(await base.count == (isSealed ? 1 : 0))
    }

    @Test(arguments: [false, true])
    func `a scope sees its enrollments alone, whatever the others have`(
        isSealed: Bool
    ) async throws {
        let base = InMemoryStore()
        let store: any CredentialStore =
            isSealed ? try await SealedStore.opened(over: base) : base
        let names = ["", "/", "1:d/", "[\"a\"]", "0", "é", "\u{301}", "\u{0}", "z"]
        for scope in Self.scopes {
            let own = ScopedStore(store, scope: scope)
            for name in names {
                try await own.write(
                    Secret(copying: scope + name), for: RecordKey(Self.enrollments, name),
                    replacing: nil,
                    waits: name.isEmpty)
            }
        }
        // Nobody's in a scope, such as what an authenticator left that has the whole store.
        for name in ["[\"a\"]", "3:d/1", "5:d/1/", "x:d/", ":"] {
            try await store.write(
                Secret([]), for: RecordKey(Self.enrollments, name), replacing: nil)
        }
        for scope in Self.scopes {
            let own = ScopedStore(store, scope: scope)
            #expect(
                Set(try await own.names(in: Self.enrollments).map(Bytes.prefixed)).count
                    == names.count)
            #expect(
                try await own.names(in: Self.enrollments, waiting: true).map(Bytes.prefixed)
                    == own.names(in: Self.enrollments).filter(\.isEmpty).map(Bytes.prefixed))
            for limit in [1, 4, 9, 10, .max] {
                let pages = try await pages(of: own, by: limit)
                let keys = pages.flatMap(\.names).map { RecordKey(Self.enrollments, $0) }
                #expect(keys.count == names.count && Set(keys).count == names.count)
                #expect(pages.count <= names.count / limit + 1)
                for record in try await own.read(all: keys) {
                    let value = try record.content.get()?.value.withBytes { Array($0) }
                    #expect(value == Array((scope + record.key.name).utf8))
                }
            }
        }
        #expect(try await pages(of: ScopedStore(store, scope: "none"), by: 3).count == 1)
    }

    @Test(arguments: [false, true])
    func `a scope's part of the enrollments is read without the others'`(isSealed: Bool)
        async throws
    {
        let base = CountingStore(InMemoryStore())
        let store: any CredentialStore =
            isSealed ? try await SealedStore.opened(over: base) : base
        for scope in 0..<100 {
            let own = ScopedStore(store, scope: "d/\(scope)")
            for name in 0..<5 {
                try await own.write(
                    Secret([]), for: RecordKey(Self.enrollments, "\(name)"), replacing: nil)
            }
        }
        let (trips, names) = (await base.trips, await base.names)
        let page = try await ScopedStore(store, scope: "d/7").names(
            in: Self.enrollments, waiting: false, after: nil, limit: 10)
        #expect(page.names.sorted() == ["0", "1", "2", "3", "4"] && page.isLast)
        #expect(await base.trips - trips == 1)
        #expect(await base.names - names <= 10)
    }

    @Test func `names in a scope are parted at their scope, and others have none`() {
        for scope in Self.scopes {
            for rest in ["", "/", "a", "1:d/", "\u{301}"] {
                let name = ScopedName(ScopedName.prefix(scope) + rest)
                #expect(name.map { $0.scope.hasSameBytes(as: scope) } == true)
                #expect(name.map { $0.rest.hasSameBytes(as: rest) } == true)
            }
        }
        let others = [
            "", ":", "/", "1:", "1:d", "01:d/", "+1:d/", "-1:d/", "2:d/", "0:d/", "1:é/",
            "99999999999999999999:d/", "[\"a\"]", "\u{661}:d/",
        ]
        for other in others { #expect(ScopedName(other) == nil, "\(other)") }
    }

    private func pages(
        of store: ScopedStore, by limit: Int
    ) async throws -> [NamePage] {
        var pages: [NamePage] = []
        while pages.count < 100 {
            let page = try await store.names(
                in: Self.enrollments, waiting: false, after: pages.last?.names.last, limit: limit)
            #expect(page.names.count <= limit)
            pages.append(page)
            if page.isLast { break }
        }
        return pages
    }
}

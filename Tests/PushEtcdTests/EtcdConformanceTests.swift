import ExternalTool
import Foundation
import PushEtcd
import PushPlatform
import PushTesting
import Testing

@testable import PushCore
@testable import PushSealing

/// The store on a real server.
@Suite(.enabled(if: EtcdCluster.isInstalled, "etcd-server isn't installed"), .serialized)
struct EtcdConformanceTests {
    /// Puts what no store would write over a record.
    private func damage(_ cluster: EtcdCluster) -> @Sendable (RecordKey) async -> Void {
        { key in
            let count = key.collection.utf8.count
            let name = Data("pa/1/acme/".utf8) + [UInt8(count / 256), UInt8(count % 256)]
            let body = Data(
                """
                {"key":"\((name + Data((key.collection + key.name).utf8)).base64EncodedString())",\
                "value":"AA=="}
                """.utf8)
            _ = ExternalTool(name: "curl").run(
                [
                    "-sf", "-d", String(decoding: body, as: UTF8.self),
                    cluster.urls[0] + "/v3/kv/put",
                ])
        }
    }

    @Test func `it conforms on a member of etcd, plain, sealed, and in a scope`() async throws {
        let cluster = try await EtcdCluster()
        let store = try cluster.store()
        let plain = CredentialStoreConformance(store, damaging: damage(cluster))
        #expect(await plain.check() == [])
        let key = KeySource { () async throws(PushError) in Secret(Array(repeating: 7, count: 32)) }
        let sealed = try await SealedStore(store, key: key, tenant: "acme")
        let scoped = ScopedStore(sealed, scope: "d/1")
        #expect(await CredentialStoreConformance(scoped).check() == [])
        #expect(scoped.isShared)
        // The header alone is left, and no mark.
        #expect(try await store.page(after: nil, limit: 10).records.count == 1)
        let all = ExternalTool(name: "curl").run([
            "-sf", "-d", #"{"key":"AA==","range_end":"AA==","keys_only":true}"#,
            cluster.urls[0] + "/v3/kv/range",
        ])
        let text = String(decoding: all ?? Data(), as: UTF8.self)
        #expect(text.contains(#""count":"1""#), "\(text)")
    }

    /// An enrollment's record, with a challenge that waits or without.
    private func record(_ id: Enrollment.ID, waits: Bool) throws -> Secret {
        let enrollment = Enrollment(id: id, state: .active, created: Date())
        var document = try EnrollmentDocument(
            salt: Secret(Array(repeating: 1, count: 16)), EnrollmentHead(enrollment), Secret([1]))
        guard waits else { return document.sealed }
        let rules = DocumentRules(
            now: Date(), passed: nil, limits: Retention(), isSingleUse: false)
        let notice = Notice(id: Challenge.ID("1", of: id), proof: .mac)
        _ = try document.change(notice.id, by: rules) { (row) throws(PushError) in
            try row.announce(Announcement(notice, context: Secret([])))
        }
        return document.sealed
    }

    @Test func `what waits on many devices is read by its mark, and one device's part alone`()
        async throws
    {
        let cluster = try await EtcdCluster()
        let key = KeySource { () async throws(PushError) in Secret(Array(repeating: 7, count: 32)) }
        let store = try await SealedStore(try cluster.store(), key: key, tenant: "acme")
        let counts = ["d/1": 260, "d/10": 3, "d/2": 300, "d": 0]
        for (scope, count) in counts {
            let own = ScopedStore(store, scope: scope)
            for number in 0..<count {
                let (id, waits) = (Enrollment.ID("\(number)", of: "acme"), number % 2 == 0)
                try await own.write(
                    record(id, waits: waits), for: Documents.key(id), replacing: nil, waits: waits)
            }
        }
        let fleet = CountingStore(store)
        let found = try await ScopedStore.waiting(in: fleet)
        #expect(found.count == 282)
        // As many as wait, and one page of their names.
        #expect(await fleet.reads == 282)
        #expect(await fleet.listings == 1)
        for (scope, count) in counts {
            let own = found.filter { $0.scope == scope }
            #expect(Set(own.map(\.challenge)).count == (count + 1) / 2)
            #expect(own.count == (count + 1) / 2)
            let counting = CountingStore(store)
            let part = ScopedStore(counting, scope: scope)
            let first = try await part.names(
                in: Documents.collection, waiting: false, after: nil, limit: 250)
            #expect(first.names.count == min(count, 250) && first.isLast == (count <= 250))
            #expect(await counting.listings == 1)
            let rest = try await part.names(
                in: Documents.collection, waiting: false, after: first.names.last, limit: 250)
            #expect(first.names.count + rest.names.count == count && rest.isLast || count == 0)
        }
    }

    @Test func `it conforms over TLS, with a client certificate and a role`() async throws {
        var options = EtcdCluster.Options()
        options.tls = try TLSFiles()
        let cluster = try await EtcdCluster(options)
        try cluster.enableAuthentication(for: "acme")
        let login = EtcdStore.Login(user: "pushauth", password: Secret(Array("secret".utf8)))
        let store = try cluster.store(login: login)
        #expect(await CredentialStoreConformance(store).check() == [])
        // The role is the tenant's alone.
        let other = try cluster.store("bank", login: login)
        let error = try await refusal { try await other.read(RecordKey("row", "a")) }
        #expect(error.code == .storage)
        #expect(error.reason.contains("pa/1/bank/"))
        // A simple token ends with its member.
        cluster.kill(0)
        try cluster.start(0)
        #expect(try await store.read(RecordKey("row", "a")) == nil)
    }

    @Test func `keys are changed on a real server while two processes write`() async throws {
        let cluster = try await EtcdCluster()
        let keys = [3, 4].map { (byte: UInt8) in
            KeySource { () async throws(PushError) in Secret(Array(repeating: byte, count: 32)) }
        }
        let etcd = try cluster.store()
        var stores: [SealedStore] = []
        for _ in 0..<2 {
            stores.append(
                try await SealedStore(
                    try cluster.store(), key: keys[0], others: [keys[1]], tenant: "acme"))
        }
        let (one, other) = (stores[0], stores[1])
        for index in 0..<300 {
            try await one.write(
                Secret([UInt8(index % 256)]), for: RecordKey("row", "\(index)"), replacing: nil)
        }
        // They write with the old key until they have read the header again.
        let writing = Task {
            for index in 0..<40 {
                let key = RecordKey("late", "\(index)")
                try await other.write(Secret([7]), for: key, replacing: nil)
            }
        }
        try await one.rotate(to: keys[1]) { () async throws(PushError) in _ = await writing.result }
        try await writing.value
        let old = try await refusal { try await SealedStore(etcd, key: keys[0], tenant: "acme") }
        #expect(old.code == .storage)
        let after = try await SealedStore(etcd, key: keys[1], tenant: "acme")
        #expect(try await after.names(in: "row").count == 300)
        let found = try await etcd.page(after: nil, limit: 1000)
        #expect(found.records.count == 250 && !found.isLast)
        for record in try await after.read(all: (0..<40).map { RecordKey("late", "\($0)") }) {
            #expect(try record.content.get()?.value.withBytes { Array($0) } == [7])
        }
    }
}

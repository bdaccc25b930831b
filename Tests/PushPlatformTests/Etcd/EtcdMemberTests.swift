import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushPlatform

/// Which member is asked, and as whom.
struct EtcdMemberTests {
    private let three = ["http://a:1", "http://b:1", "http://c:1"]

    @Test func `a member that fails is left for the next, which stays`() async throws {
        let etcd = ScriptedEtcd([
            .failure(.unreachable), .error(503, 14, "etcdserver: not capable"), .empty, .empty,
            .put(10),
        ])
        let store = try EtcdStore.scripted(etcd, members: three)
        #expect(try await store.read(row) == nil)
        #expect(try await store.read(row) == nil)
        try await store.write(Secret([1]), for: row, replacing: nil)
        #expect(await etcd.membersAsked == ["a:1", "b:1", "c:1", "c:1", "c:1"])
    }

    @Test func `certificates that don't hold at any member end it after a round`() async throws {
        let etcd = ScriptedEtcd(Array(repeating: .failure(.untrustedServer), count: 100))
        let store = try EtcdStore.scripted(etcd, members: three, patience: .seconds(600))
        #expect(try await refusal { try await store.read(row) }.code == .storage)
        #expect(await etcd.membersAsked == ["a:1", "b:1", "c:1"])
    }

    private let login = EtcdStore.Login(user: "u\"", password: Secret(Array("p\\".utf8)))
    private static let invalid = ScriptedEtcd.Reply.error(
        401, 16, "etcdserver: invalid auth token")

    private static func token(_ token: String) -> ScriptedEtcd.Reply {
        .status(200, "{\(ScriptedEtcd.Reply.header),\"token\":\"\(token)\"}")
    }

    @Test func `a token is asked for once, and again when it isn't valid any more`() async throws {
        let etcd = ScriptedEtcd([
            Self.token("one"), .empty, .empty, Self.invalid, Self.token("two"), .empty,
            .error(400, 3, "etcdserver: revision of auth store is old"), Self.token("three"),
            .put(10),
        ])
        let store = try EtcdStore.scripted(etcd, login: login)
        for _ in 0..<3 { #expect(try await store.read(row) == nil) }
        try await store.write(Secret([1]), for: row, replacing: nil)
        #expect(
            await etcd.requests.map(\.token) == [
                nil, "one", "one", "one", nil, "two", "two", nil, "three",
            ])
        #expect(await etcd.requests[0].path == "/v3/auth/authenticate")
        #expect(await etcd.bodies[0] == #"{"name":"u\"","password":"p\\"}"#)
    }

    @Test func `of several that want a token at once, one asks`() async throws {
        let etcd = ScriptedEtcd([Self.token("one")] + Array(repeating: .empty, count: 8))
        let store = try EtcdStore.scripted(etcd, login: login)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await store.read(row) } }
            try await group.waitForAll()
        }
        #expect(await etcd.requests.filter { $0.path == "/v3/auth/authenticate" }.count == 1)
    }

    @Test func `a token that is never valid isn't asked for again and again`() async throws {
        let etcd = ScriptedEtcd([
            Self.token("one"), Self.invalid, Self.token("two"), Self.invalid, .empty,
        ])
        let store = try EtcdStore.scripted(etcd, login: login)
        let error = try await refusal { try await store.read(row) }
        #expect(error.code == .storage)
        #expect(await etcd.left == 1)
    }

    @Test(arguments: [
        (
            ScriptedEtcd.Reply.error(
                400, 3, "etcdserver: authentication failed, invalid user ID or password"),
            "password: check both"
        ),
        (
            .error(412, 9, "etcdserver: authentication is not enabled"), "give the store no user"
        ),
    ])
    func `a login that etcd refuses says what to set up, and no password`(
        reply: ScriptedEtcd.Reply, words: String
    ) async throws {
        let etcd = ScriptedEtcd([reply])
        let store = try EtcdStore.scripted(etcd, login: login)
        let error = try await refusal { try await store.read(row) }
        #expect(error.code == .storage)
        #expect(error.reason.contains(words))
        #expect(!error.description.contains("p\\"))
    }

    @Test func `members of two clusters, or a revision that goes back, are found out`() async throws
    {
        let etcd = ScriptedEtcd([.put(10), .put(11, cluster: 8)])
        let store = try EtcdStore.scripted(etcd, members: three)
        try await store.write(Secret([1]), for: row, replacing: nil)
        let error = try await refusal {
            try await store.write(Secret([1]), for: row, replacing: Revision(10))
        }
        // The other cluster made the write.
        #expect(error.code == .storageUnknown && error.reason.contains("another etcd cluster"))
        let restored = ScriptedEtcd([.put(10), .empty])
        let other = try EtcdStore.scripted(restored)
        try await other.write(Secret([1]), for: row, replacing: nil)
        let older = try await refusal { try await other.read(row) }
        #expect(older.code == .storage && older.reason.contains("went back from 10 to 9"))
    }

    @Test func `a member that says nothing is given up after its time`() async throws {
        let silent = SimulatedTransport(
            faults: FaultPlan(),
            server: { _, _ in
                try? await Task.sleep(for: .seconds(60))
                return (.init(status: .ok), Data())
            })
        let store = try EtcdStore(
            .init(
                members: three, tenant: "t", tryTimeout: .milliseconds(20),
                patience: .milliseconds(100)), transport: silent)
        #expect(try await refusal { try await store.read(row) }.code == .storage)
        let error = try await refusal {
            try await store.write(Secret([1]), for: row, replacing: nil)
        }
        #expect(error.code == .storageUnknown)
    }
}

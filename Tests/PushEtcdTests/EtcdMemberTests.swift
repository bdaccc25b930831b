import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushEtcd

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

    /// The first is asked, and then can't be reached for once.
    private func afterwards(
        _ first: UInt64, _ replies: [UInt64]
    ) async throws -> (result: Result<Void, PushError>, store: EtcdStore, etcd: ScriptedEtcd) {
        let etcd = ScriptedEtcd(
            [.nothing(at: first), .failure(.unreachable)] + replies.map { .nothing(at: $0) })
        let store = try EtcdStore.scripted(etcd, members: three)
        _ = try await store.read(row)
        let result = await Result { () async throws(PushError) in _ = try await store.read(row) }
        return (result, store, etcd)
    }

    @Test(arguments: [UInt64(1) << 62, 5000])
    func `a member that says more than the others is outvoted, and silences nobody`(
        wrong: UInt64
    ) async throws {
        let (result, store, etcd) = try await afterwards(
            wrong, [20, 20, wrong, 21, 21])
        try result.get()
        _ = try await store.read(row)
        #expect(await etcd.membersAsked == ["a", "a", "b", "c", "a", "b", "b"].map { "\($0):1" })
    }

    @Test func `a member that says less than two others is outvoted`() async throws {
        let (result, _, etcd) = try await afterwards(20, [9, 20, 20])
        try result.get()
        #expect(await etcd.membersAsked == ["a", "a", "b", "c", "a"].map { "\($0):1" })
    }

    @Test func `a state that went back at all members is no vote`() async throws {
        let (result, _, _) = try await afterwards(20, [9, 9, 9])
        guard case .failure(let error) = result else { throw NothingThrown() }
        #expect(error.code == .storage && error.reason.contains("went back from 20 to 9"))
    }

    @Test func `where the member that said more can't be asked, nobody is believed`() async throws {
        let etcd = ScriptedEtcd(
            [.nothing(at: 20)]
                + (0..<300).flatMap { _ in
                    [.failure(.unreachable), .nothing(at: 9), .nothing(at: 9)]
                })
        let store = try EtcdStore.scripted(etcd, members: three, patience: .milliseconds(50))
        _ = try await store.read(row)
        #expect(try await refusal { try await store.read(row) }.code == .storage)
    }

    /// A store of an etcd that names records without end, and hears of each request.
    private func endless(
        _ onRequest: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws -> EtcdStore {
        let count = Locked(0)
        let transport = SimulatedTransport(
            faults: FaultPlan(),
            server: { _, body in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                onRequest(number)
                let asked = try? JSON(parsing: body)
                let from = asked?["key"]?.string.flatMap { Data(base64Encoded: $0) } ?? Data()
                let key = (from + Data("n".utf8)).base64EncodedString()
                let text =
                    "{\(ScriptedEtcd.Reply.header),\"kvs\":["
                    + entry(nil, modified: 2, key: key) + "],\"more\":true,\"count\":\"9\"}"
                return (.init(status: .ok), Data(text.utf8))
            })
        return try EtcdStore(.init(members: ["http://a:1"], tenant: "t"), transport: transport)
    }

    @Test func `names without end end at a bound`() async throws {
        let store = try endless()
        for waiting in [false, true] {
            let error = try await refusal {
                try await store.names(in: "row", waiting: waiting, room: 10_000)
            }
            #expect(error.code == .storage && error.reason.contains("more records"))
        }
    }

    @Test func `names without end end with their caller`() async throws {
        let caller = Locked<Task<PushError, any Error>?>(nil)
        let store = try endless { number in
            if number > 2 { caller.withLock { $0?.cancel() } }
        }
        let task = Task {
            try await refusal { try await store.names(in: "row") }
        }
        caller.withLock { $0 = task }
        #expect(try await task.value.code == .cancelled)
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

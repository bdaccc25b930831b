import Foundation
import PushCore
import PushEtcd
import PushPlatform
import PushTesting
import StoreTrials
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Leaders that die, stop and are cut off.
@Suite(.enabled(if: EtcdCluster.isInstalled, "etcd-server isn't installed"), .serialized)
struct EtcdFaultTests {
    private func trial(_ cluster: EtcdCluster) throws -> AppendTrial {
        let stores: [any CredentialStore] = try (0..<6).map { _ in try cluster.store() }
        return AppendTrial(stores, witness: try cluster.store(), lists: 6)
    }

    @Test func `leaders that are killed lose nothing that was acknowledged`() async throws {
        var options = EtcdCluster.Options()
        options.members = 3
        let cluster = try await EtcdCluster(options)
        let tally = try await trial(cluster).run { progress in
            for _ in 0..<2 {
                try await progress.more(20)
                let leader = try await cluster.someLeader()
                cluster.kill(leader)
                try await Task.sleep(for: .seconds(3))
                try cluster.start(leader)
            }
            try await progress.more(20)
        }
        print("etcd, 2 leaders killed: \(tally)")
        #expect(tally.broken == 0)
        #expect(tally.acknowledged > 10)
    }

    @Test func `leaders that stop for a while lose nothing that was acknowledged`() async throws {
        var options = EtcdCluster.Options()
        options.members = 3
        let cluster = try await EtcdCluster(options)
        let tally = try await trial(cluster).run { progress in
            for _ in 0..<2 {
                try await progress.more(20)
                let leader = try await cluster.someLeader()
                cluster.send(SIGSTOP, to: leader)
                try await Task.sleep(for: .seconds(5))
                cluster.send(SIGCONT, to: leader)
            }
            try await progress.more(20)
        }
        print("etcd, 2 leaders stopped: \(tally)")
        #expect(tally.broken == 0)
        #expect(tally.acknowledged > 10)
    }

    @Test func `without more than half of the members nothing is decided and nothing looks empty`()
        async throws
    {
        var options = EtcdCluster.Options()
        options.members = 3
        let cluster = try await EtcdCluster(options)
        let store = try EtcdStore(
            .init(members: cluster.urls, tenant: "acme", patience: .seconds(4)),
            transport: CurlTransport(cluster.configuration()))
        let key = RecordKey("row", "a")
        let first = try await store.write(Secret([1]), for: key, replacing: nil)
        // A follower takes writes as the leader does.
        let leader = try await cluster.someLeader()
        for member in cluster.urls.indices where member != leader {
            let follower = try EtcdStore(
                .init(members: [cluster.urls[member]], tenant: "acme"),
                transport: CurlTransport(cluster.configuration()))
            #expect(try await follower.read(key)?.revision == first)
        }
        cluster.kill(0)
        cluster.kill(1)
        #expect(try await refusal { try await store.read(key) }.code == .storage)
        let error = try await refusal {
            try await store.write(Secret([2]), for: key, replacing: first)
        }
        #expect([.storage, .storageUnknown].contains(error.code))
        try cluster.start(0)
        try cluster.start(1)
        _ = try await cluster.someLeader()
        let back = try cluster.store()
        #expect(try await back.read(key) != nil)
    }
}

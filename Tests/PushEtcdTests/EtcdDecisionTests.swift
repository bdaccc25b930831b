import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import PushSealing
import PushTesting
import StoreTrials
import Testing

/// Four authenticators against one decision, each with a store of its own.
@Suite(.enabled(if: EtcdCluster.isInstalled, "etcd-server isn't installed"), .serialized)
struct EtcdDecisionTests {
    @Test func `the vendor gets one decision, and the challenge is new for one`() async throws {
        let cluster = try await EtcdCluster()
        let key = KeySource { () async throws(PushError) in Secret(Array(repeating: 7, count: 32)) }
        var stores: [any CredentialStore] = []
        for _ in 0..<4 {
            let etcd = try cluster.store { base in
                LossyTransport(base, .init(dropped: 0.1)) { $0.path == "/v3/kv/txn" }
            }
            stores.append(try await SealedStore(etcd, key: key, tenant: "acme"))
        }
        let tally = try await DecisionTrial(stores, clockOffset: 5).run(for: .seconds(12))
        print("etcd, 4 processes, 10 % of replies lost, clocks 5 s apart: \(tally)")
        #expect(tally.challenges >= 4)
        #expect(tally.twoDecisions == 0)
        #expect(tally.wrongWords == [])
        #expect(tally.unanswered == 0)
        #expect(tally.newFor == [1: tally.challenges])
    }

    @Test func `however far clocks are apart, no answer is sent twice unless a process dies`()
        async throws
    {
        let cluster = try await EtcdCluster()
        for offset in [0.02, -0.02, 5, -5, 3600, -3600] {
            var stores: [any CredentialStore] = []
            for _ in 0..<4 { stores.append(try cluster.store("clocks\(Int(offset * 100))")) }
            // A busy machine holds no process up for as long as that.
            let tally = try await DecisionTrial(
                stores, clockOffset: offset, lease: .seconds(120)
            ).run(for: .seconds(2), atLeast: 8)
            print("etcd, 4 processes, clocks \(offset) s apart: \(tally)")
            #expect(tally.sentTwice == 0 && tally.twoDecisions == 0)
            #expect(tally.wrongWords == [])
            #expect(tally.unanswered == 0)
            #expect(tally.newFor == [1: tally.challenges])
        }
    }

    @Test
    func `ten that start at once send what was left once each, and read nothing that is over`()
        async throws
    {
        let cluster = try await EtcdCluster()
        var stores: [any CredentialStore] = []
        for _ in 0...10 { stores.append(try cluster.store("herd")) }
        let tally = try await HerdTrial(stores[0], others: Array(stores.dropFirst()))
            .run(finished: 400, decided: 20)
        print("etcd, 400 over, 20 decided, 10 processes: \(tally)")
        #expect(tally.sentOnce == 20)
        #expect(tally.reads < 400)
    }
}

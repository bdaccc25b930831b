import Foundation
import HTTPTypes
import PushCore
import PushTesting
import StoreTrials
import Testing

@testable import PushPlatform

/// Replies that are lost after the server acted.
@Suite(.enabled(if: EtcdCluster.isInstalled, "etcd-server isn't installed"), .serialized)
struct EtcdLossTests {
    private func run(
        _ cluster: EtcdCluster, naively: Bool, dropping dropped: Double = 0.1
    ) async throws -> (tally: AppendTrial.Tally, losses: Int) {
        var networks: [LossyTransport] = []
        var stores: [any CredentialStore] = []
        let shares = LossyTransport.Shares(
            dropped: dropped, late: 0.01, replaced: 0.03, refused: 0.03)
        for _ in 0..<8 {
            let network = LossyTransport(CurlTransport(cluster.configuration()), shares) {
                $0.path == "/v3/kv/txn"
            }
            networks.append(network)
            stores.append(
                try EtcdStore(
                    .init(members: cluster.urls, tenant: "acme", tryTimeout: .milliseconds(300)),
                    transport: network, random: SystemRandom(), settlesNaively: naively))
        }
        let trial = AppendTrial(
            stores, witness: try cluster.store(), lists: 2, in: "append \(naively)")
        let tally = try await trial.run { progress in
            try await progress.more(300, within: .seconds(naively ? 12 : 25))
        }
        var losses = 0
        for network in networks { losses += await network.losses }
        return (tally, losses)
    }

    @Test func `nothing is lost, doubled, or refused but there, and a naive store is found out`()
        async throws
    {
        let cluster = try await EtcdCluster()
        let (tally, losses) = try await run(cluster, naively: false)
        print("etcd, replies lost \(losses): \(tally)")
        #expect(tally.broken == 0)
        #expect(tally.acknowledged > 10)
        #expect(losses > 3)
        #expect(tally.unknown <= 1 + losses / 100)
        // Whoever compares with the current value alone says wrong things.
        var naive = try await run(cluster, naively: true, dropping: 0.4).tally
        for _ in 0..<2 where naive.refusedButThere == 0 {
            naive = try await run(cluster, naively: true, dropping: 0.4).tally
        }
        print("etcd, settled by the current value: \(naive)")
        #expect(naive.refusedButThere > 0)
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import PushTesting
import StoreTrials
import Testing

@testable import PushEtcd

/// Replies that are lost after the server acted.
@Suite(
    .enabled(if: EtcdCluster.isInstalled, "etcd-server isn't installed"), .serialized,
    .timeLimit(.minutes(5)))
struct EtcdLossTests {
    @Test func `nothing is lost, doubled, or refused but there`() async throws {
        let cluster = try await EtcdCluster()
        var networks: [LossyTransport] = []
        var stores: [any CredentialStore] = []
        let shares = LossyTransport.Shares(
            dropped: 0.1, late: 0.01, replaced: 0.03, refused: 0.03)
        let settled = SettledWrites()
        for _ in 0..<8 {
            let network = LossyTransport(CurlTransport(cluster.configuration()), shares) {
                $0.path == "/v3/kv/txn"
            }
            networks.append(network)
            var configuration = EtcdStore.Configuration(
                members: cluster.urls, tenant: "acme", tryTimeout: .seconds(1))
            configuration.onSettled = settled.add
            stores.append(try EtcdStore(configuration, transport: network))
        }
        let trial = AppendTrial(stores, witness: try cluster.store(), lists: 2)
        let tally = try await trial.run { [networks] progress in
            // Each of the networks has lost replies of all kinds then.
            var losses = 0
            while progress.acknowledged < 300 || losses < 80 {
                losses = await count(networks)
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        let losses = await count(networks)
        print("etcd, replies lost \(losses): \(tally)")
        #expect(tally.broken == 0)
        #expect(tally.unknown <= 1 + losses / 20)
        #expect(settled.count(.unknown) == tally.unknown)
        #expect(settled.count(.made) > 0)
        #expect(SettledWrite.allCases.reduce(0) { $0 + settled.count($1) } <= losses)
    }

    private func count(_ networks: [LossyTransport]) async -> Int {
        var losses = 0
        for network in networks { losses += await network.losses }
        return losses
    }

    @Test(arguments: [false, true])
    func `an overwritten write is told, but not by the value that is there`(
        isNaive: Bool
    ) async throws {
        let cluster = try await EtcdCluster()
        let list = RecordKey("list", "a")
        let witness = try cluster.store()
        let network = OvertakenTransport(CurlTransport(cluster.configuration())) {
            // Another writer comes between the write and its repeat.
            let (value, revision) = try #require(try await witness.read(list))
            let more = Secret(value.withBytes { Array($0) } + Array("other;".utf8))
            try await witness.write(more, for: list, replacing: revision)
        }
        let store = try EtcdStore(
            .init(members: cluster.urls, tenant: "acme"), transport: network,
            random: SystemRandom(), settlesNaively: isNaive)
        var revision = try await witness.write(Secret([]), for: list, replacing: nil)
        for round in 0..<20 {
            let value = try #require(try await witness.read(list)).value
            let mark = "mark \(round);"
            let more = Secret(value.withBytes { Array($0) } + Array(mark.utf8))
            await network.loseNext()
            let result = await Result { () async throws(PushError) in
                try await store.write(more, for: list, replacing: revision)
            }
            let found = try #require(try await witness.read(list))
            let text = found.value.withBytes { String(decoding: $0, as: UTF8.self) }
            #expect(text.hasSuffix(mark + "other;"))
            switch result {
            case .success: #expect(!isNaive)
            // Refused, but there.
            case .failure(let error): #expect(isNaive && error.code == .conflict)
            }
            revision = found.revision
        }
    }
}

/// A network that loses the reply to a chosen transaction after the server acted, and lets something
/// happen before it says so.
private actor OvertakenTransport: Transport {
    private let base: any Transport
    private let body: @Sendable () async throws -> Void
    private var isLosing = false

    init(_ base: any Transport, _ body: @escaping @Sendable () async throws -> Void) {
        self.base = base
        self.body = body
    }

    func loseNext() { isLosing = true }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let reply = try await base.send(request, body: body)
        guard isLosing, request.path == "/v3/kv/txn" else { return reply }
        isLosing = false
        do {
            try await self.body()
        } catch {
            throw PushError(.malformed, "The other writer failed: \(error)")
        }
        throw PushError(.interrupted, "The reply was dropped.")
    }
}

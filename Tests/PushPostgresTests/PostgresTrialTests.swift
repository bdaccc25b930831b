#if os(Linux)
import PushCore
import PushPostgres
import StoreTrials
import Testing

/// What is confirmed stays, what is refused isn't there, and what can't be known is said to be so: while
/// replies are lost, and while the server dies.
@Suite(.serialized) struct PostgresTrialTests {
    /// Several stores with connections of their own, as several processes have.
    private func stores(
        _ count: Int, of server: PostgresServer, _ schema: String, port: UInt16? = nil,
        onSettled: (@Sendable (SettledWrite) -> Void)? = nil
    ) async throws -> [any CredentialStore] {
        var stores: [any CredentialStore] = []
        for _ in 0..<count {
            stores.append(try await server.store(schema, port: port, onSettled: onSettled))
        }
        return stores
    }

    @Test func `lost replies lose nothing and double nothing, and hardly one stays in doubt`()
        async throws
    {
        let server = try await PostgresServer.shared.value
        let proxy = try LossyProxy(to: server.port) {
            switch Double.random(in: 0..<1) {
            case ..<0.08: .losesReply
            case ..<0.1: .breaks
            default: .passes
            }
        }
        let settled = SettledWrites()
        let stores = try await stores(
            4, of: server, "lossy", port: proxy.port, onSettled: settled.add)
        // On fewer lists others write more than 16 times, as far as a chain reaches, while a store
        // connects again: then it rightly says that it doesn't know.
        let tally = try await AppendTrial(
            stores + stores, witness: try await server.store("lossy"), lists: 8
        ).run { progress in try await progress.more(1000, within: .seconds(120)) }
        proxy.stop()
        print("lossy: \(tally)")
        #expect(tally.broken == 0, "\(tally)")
        #expect(tally.acknowledged > 100)
        #expect(tally.unknown <= 1 + tally.acknowledged / 100, "\(tally)")
        #expect(settled.count(.unknown) == tally.unknown)
        #expect(settled.count(.made) > 0)
    }

    @Test func `a server that is killed while it writes has kept what it confirmed`() async throws {
        let server = try await PostgresServer.start()
        let stores = try await stores(4, of: server, "killed")
        let tally = try await AppendTrial(
            stores + stores, witness: stores[0], lists: 4
        ).run { progress in
            for _ in 0..<6 {
                try await progress.more(.random(in: 50...250), within: .seconds(60))
                try await server.killAndRestart()
            }
            try await progress.more(50, within: .seconds(60))
        }
        try await server.stop()
        print("killed: \(tally)")
        #expect(tally.broken == 0, "\(tally)")
        #expect(tally.acknowledged > 200)
    }

    @Test func `connections that the server ends lose nothing`() async throws {
        let server = try await PostgresServer.start()
        let stores = try await stores(2, of: server, "ended")
        let tally = try await AppendTrial(
            stores + stores, witness: stores[0], lists: 2
        ).run { progress in
            for _ in 0..<12 {
                try await progress.more(.random(in: 20...100), within: .seconds(60))
                try server.terminateBackends()
            }
        }
        try await server.stop()
        print("ended: \(tally)")
        #expect(tally.broken == 0, "\(tally)")
        #expect(tally.acknowledged > 100)
        #expect(tally.unknown <= 1 + tally.acknowledged / 100, "\(tally)")
    }

    @Test func `four processes make one decision, and what they say of it is true`() async throws {
        let server = try await PostgresServer.shared.value
        let proxy = try LossyProxy(to: server.port) {
            Double.random(in: 0..<1) < 0.05 ? .losesReply : .passes
        }
        let stores = try await stores(4, of: server, "decision", port: proxy.port)
        let tally = try await DecisionTrial(stores).run(for: .seconds(8))
        proxy.stop()
        print("decision: \(tally)")
        #expect(tally.challenges >= 4)
        #expect(tally.twoDecisions == 0, "\(tally)")
        #expect(tally.wrongWords == [])
    }

    @Test func `however far clocks are apart, no answer is sent twice unless a process dies`()
        async throws
    {
        let server = try await PostgresServer.shared.value
        for offset in [0.02, -0.02, 5, -5, 3600, -3600] {
            let stores = try await stores(4, of: server, "clocks")
            // A busy machine holds no process up for as long as that.
            let tally = try await DecisionTrial(
                stores, clockOffset: offset, lease: .seconds(120)
            ).run(for: .seconds(1), atLeast: 8)
            print("PostgreSQL, 4 processes, clocks \(offset) s apart: \(tally)")
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
        let server = try await PostgresServer.shared.value
        let stores = try await stores(11, of: server, "herd")
        let tally = try await HerdTrial(stores[0], others: Array(stores.dropFirst()))
            .run(finished: 400, decided: 20)
        print("PostgreSQL, 400 over, 20 decided, 10 processes: \(tally)")
        #expect(tally.sentOnce == 20)
        #expect(tally.reads < 400)
    }
}
#endif

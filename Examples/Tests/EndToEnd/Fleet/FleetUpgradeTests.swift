import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// Upgrades of the store below a fleet, as the guide to fleets has them.
@Suite(.serialized, .timeLimit(.minutes(3))) struct `a cluster that is upgraded` {
    @Test func `each push that was accepted is answered once while members restart in turn`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let etcd = try await EtcdTrio(in: site.directory, tenant: "acme")
            let fleet = try await FleetSite(site, at: etcd.store)
            let gateway = try await FleetGateway.found(fleet, simulator, "one")
            try await fleet.enroll("jane", on: "one", with: simulator)
            let listener = try gateway.listen("--policy", try gateway.approving, "--take-up", "2")
            do {
                let counter = Counter()
                async let restarts: Void = restart(etcd, counter)
                try await push(through: gateway, to: listener, counter)
                try await restarts
            } catch {
                await listener.kill()
                throw error
            }
            #expect(await listener.terminate().code == 0)
            await etcd.stop()
        }
    }

    /// How many logins are over, and whether there are to be more.
    private actor Counter {
        private(set) var count = 0
        private(set) var isOver = false

        func add() { count += 1 }
        func end() { isOver = true }
    }

    /// Restarts one member after the other, each once logins have gone on.
    private func restart(_ etcd: EtcdTrio, _ logins: Counter) async throws {
        do {
            for index in EtcdTrio.names.indices {
                try await wait(for: 3, more: logins)
                await etcd.stop(index)
                // Two go on without it.
                try await wait(for: 2, more: logins)
                try await etcd.start(index)
                try await etcd.healthy()
            }
            try await wait(for: 3, more: logins)
        } catch {
            await logins.end()
            throw error
        }
        await logins.end()
    }

    private func wait(for some: Int, more logins: Counter) async throws {
        let start = ContinuousClock.now
        let before = await logins.count
        while await logins.count < before + some {
            try #require(start.duration(to: .now) < .seconds(60))
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// One login after the other. What gets 503 is sent again, as senders do.
    private func push(
        through gateway: FleetGateway, to listener: ListeningProcess, _ counter: Counter
    ) async throws {
        var logins: [SimulatedLogin.ID] = []
        var refusals = 0
        while await !counter.isOver {
            let (id, push) = try await gateway.login(of: "jane")
            logins.append(id)
            var status = try await gateway.post(push, to: listener).status
            let start = ContinuousClock.now
            while status == 503, start.duration(to: .now) < .seconds(60) {
                refusals += 1
                try await Task.sleep(for: .milliseconds(200))
                status = try await gateway.post(push, to: listener).status
            }
            #expect(status == 202)
            try await gateway.wait(for: .approved, of: id)
            await counter.add()
        }
        let answers = await gateway.answers()
        #expect(Set(answers.keys) == Set(logins))
        #expect(answers.values.allSatisfy { $0.count == 1 }, "\(answers.mapValues(\.count))")
        print("Three members of etcd restarted: \(logins.count) logins, \(refusals) pushes got 503")
    }
}

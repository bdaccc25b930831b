import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// A listener whose store does what it is asked, and is often not heard.
@Suite(.serialized, .timeLimit(.minutes(3))) struct `a listener whose store's replies get lost` {
    @Test func `answers each push once, refuses none, and counts what it settled`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let etcd = try await EtcdServer.start(in: site.directory)
            let fleet = try await FleetSite(site, at: etcd.place + "/acme")
            let direct = try await FleetGateway.found(fleet, simulator, "one")
            try await fleet.enroll("jane", on: "one", with: simulator)
            let proxy = try await LossyProxy.start(to: etcd.port, losingOneOf: 3)
            let gateway = try await direct.moved(to: "etcd+http://127.0.0.1:\(proxy.port)/acme")
            let listener = try gateway.listen(
                "--policy", try gateway.approving, "--metrics", "127.0.0.1:0")
            do {
                try await push(through: gateway, to: listener)
                #expect(proxy.losses >= 10)
                let settled = try await settled(by: listener)
                #expect(settled["made"] ?? 0 > 0, "\(settled)")
                #expect(Set(settled.keys) == ["made", "not_made", "unknown"])
                #expect(settled.values.reduce(0, +) <= Double(proxy.losses), "\(settled)")
            } catch {
                await listener.kill()
                throw error
            }
            #expect(await listener.terminate().code == 0)
            await proxy.stop()
            await etcd.kill()
        }
    }

    /// One login after the other, until many replies were lost.
    private func push(
        through gateway: FleetGateway, to listener: ListeningProcess
    ) async throws {
        var logins: [SimulatedLogin.ID] = []
        for _ in 0..<20 {
            let (id, push) = try await gateway.login(of: "jane")
            let taken = try await gateway.post(push, to: listener)
            #expect(taken.status == 202, "\(taken)")
            try await gateway.wait(for: .approved, of: id)
            logins.append(id)
        }
        let answers = await gateway.answers()
        #expect(Set(answers.keys) == Set(logins))
        #expect(answers.values.allSatisfy { $0.count == 1 }, "\(answers.mapValues(\.count))")
    }

    /// What `--metrics` says of settled writes, by their results.
    private func settled(by listener: ListeningProcess) async throws -> [String: Double] {
        let url = try #require(try await listener.event("listening")["metrics"]?["url"]?.string)
        let page = try await Program(at: URL(fileURLWithPath: "/usr/bin/env"))
            .run(["curl", "--silent", "--show-error", "--fail", url])
        try #require(page.exitCode == 0, "\(page.errors)")
        var settled: [String: Double] = [:]
        for line in page.output.split(separator: "\n") {
            guard
                let (_, result, count) = line.wholeMatch(
                    of: /pushauth_store_settled_total\{result="(\w+)"\} ([0-9.]+)/)?.output
            else { continue }
            settled[String(result)] = Double(count)
        }
        return settled
    }
}

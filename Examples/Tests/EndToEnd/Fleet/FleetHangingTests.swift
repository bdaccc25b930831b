import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import push_lab

/// A fleet with two vendors, of which one never answers.
@Suite(.timeLimit(.minutes(5))) struct `a vendor that hangs` {
    private struct Site {
        let gateway: FleetGateway
        let bank: PowerAuthSimulator
        let listener: ListeningProcess

        /// What `/ready` says.
        func ready() async throws -> (status: Int, body: JSON?) {
            let url = try await gateway.url(of: listener)
                .replacingOccurrences(of: "/push", with: "/ready")
            return try await gateway.curl([url])
        }
    }

    /// A bank behind a gate, and a vendor that is always there.
    private func run(_ gate: Gate, _ test: (Site) async throws -> Void) async throws {
        let vendor = ConsoleVendor.powerAuth()
        let bank = try #require(vendor.simulator as? PowerAuthSimulator)
        try await PushAuthSite.run(
            with: bank,
            answering: {
                await gate.pass()
                return await bank.respond(to: $0, body: $1)
            },
            configuredBy: {
                await vendor.configuration($0)
                    + "\n[providers.forgerock]\nlocal-hosts = true\n"
            }
        ) { site in
            let well = ForgeRockSimulator()
            let server = try await site.serve { await well.respond(to: $0, body: $1) }
            try await well.move(to: server.origin)
            let etcd = try await EtcdServer.start(in: site.directory)
            let fleet = try await FleetSite(site, at: etcd.place + "/acme")
            let gateway = try await FleetGateway.found(fleet, well, "sick", "well")
            let environment = site.environment.merging(["PIN": PushAuthSite.pin]) { $1 }
            let text = try await bank.invitation(for: "jane").scannedText ?? ""
            let enrolled = try await fleet.pushauth(
                "enroll", "-", "--yes", "--device", "sick", "--pin-env", "PIN", input: text,
                environment: environment)
            try #require(enrolled.exitCode == 0, "\(enrolled.errors)")
            await vendor.settle("jane")
            for id in try await fleet.pushauth("list", "--device", "sick", "--json").lines {
                _ = try await fleet.pushauth(
                    "refresh", id["id"]?.string ?? "", "--device", "sick")
            }
            try await fleet.enroll("joe", on: "well", with: well)
            let listener = try ListeningProcess(
                ["--http", "127.0.0.1:0", "--pin-env", "PIN"] + fleet.place,
                environment: environment)
            try await test(Site(gateway: gateway, bank: bank, listener: listener))
            #expect(await listener.terminate().code == 0)
            await etcd.kill()
            await server.stop()
        }
    }

    /// Posts pushes of the vendor that is well, and tells how long the slowest of them takes.
    private func pace(_ site: Site) async throws -> Duration {
        var slowest = Duration.zero
        for _ in 0..<50 {
            let (_, push) = try await site.gateway.login(of: "joe")
            let start = ContinuousClock.now
            let taken = try await site.gateway.post(push, to: site.listener)
            slowest = max(slowest, start.duration(to: .now))
            #expect(taken.status == 202 && taken.body?["events"] == 1)
        }
        return slowest
    }

    @Test func `is named, and another vendor's pushes are on record meanwhile`() async throws {
        let gate = Gate()
        try await run(gate) { site in
            let gateway = site.gateway
            let before = try await pace(site)
            _ = try await site.bank.startLogin(of: "jane", asking: .confirm)
            let hint = try #require(await site.bank.takePushes().first)
            _ = await gate.shut()
            // More than are put on record at the same time.
            let hints = (0..<40).map { _ in
                Task { try await gateway.post(hint, to: site.listener).status }
            }
            while try await site.ready().body?["hanging"] == nil {
                try await Task.sleep(for: .milliseconds(50))
            }
            print(
                "The slowest of 50 pushes: \(before), and beside the vendor: \(try await pace(site))"
            )
            #expect(try await site.ready().status == 200)
            // Not on record, so not taken.
            for hint in hints { #expect(try await hint.value == 503) }
            await gate.open()
            while try await gateway.post(hint, to: site.listener).status != 202 {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}

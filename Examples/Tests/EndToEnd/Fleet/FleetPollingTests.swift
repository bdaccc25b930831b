import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import push_lab

/// What a fleet hears without a push.
@Suite(.timeLimit(.minutes(5))) struct `the polling of a fleet` {
    @Test func `a login that no push tells of is found by one of them, and answered once`()
        async throws
    {
        try await PushAuthSite.run(atVendor: "powerauth") { site, vendor in
            let simulator = try #require(vendor.simulator as? PowerAuthSimulator)
            let etcd = try await EtcdServer.start(in: site.directory)
            let fleet = try await FleetSite(site, at: etcd.place + "/acme")
            try await fleet.found("one")
            let environment = site.environment.merging(["PIN": PushAuthSite.pin]) { $1 }
            let text = try await simulator.invitation(for: "jane").scannedText ?? ""
            let enrolled = try await fleet.pushauth(
                "enroll", "-", "--yes", "--device", "one", "--pin-env", "PIN", input: text,
                environment: environment)
            try #require(enrolled.exitCode == 0, "\(enrolled.errors)")
            await vendor.settle("jane")
            let listed = try await fleet.pushauth("list", "--device", "one", "--json")
            let id = try #require(try listed.json["id"]?.string)
            let refreshed = try await fleet.pushauth("refresh", id, "--device", "one")
            #expect(refreshed.exitCode == 0, "\(refreshed.errors)")
            let policy = try site.file(
                "policy.toml", "[[rule]]\nname = \"all\"\naction = \"approve\"\n")
            let listeners = try (1...2).map { _ in
                try ListeningProcess(
                    [
                        "--poll", "5", "--http", "127.0.0.1:0", "--policy", policy, "--pin-env",
                        "PIN",
                    ] + fleet.place, environment: environment)
            }
            for listener in listeners {
                #expect(try await listener.event("listening")["poll"] == 5)
            }
            let login = try await simulator.startLogin(
                of: "jane", asking: .confirm, spoiledBy: .lost)
            let start = ContinuousClock.now
            while try await simulator.status(of: login.id) != .approved {
                try #require(start.duration(to: .now) < .seconds(120))
                try await Task.sleep(for: .milliseconds(100))
            }
            for listener in listeners { #expect(await listener.terminate().code == 0) }
            #expect(await simulator.count(of: .authorize) == 1)
            await etcd.kill()
        }
    }
}

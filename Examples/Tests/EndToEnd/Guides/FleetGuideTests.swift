import ArgumentParser
import Foundation
import LinkedVendors
import Testing

@testable import PushAuthCommand

/// What `docs/guides/fleet.md` has to copy; FleetTrialTests run its haproxy, FleetRestoreTests its backups.
@Suite struct `the guide to fleets` {
    @Test func `its configuration names a store that machines share`() throws {
        let configuration = try Configuration(
            parsing: try FleetGuide.fence("toml"), linking: LinkedVendors.all)
        #expect(configuration.store.url == "etcd://db1:2379,db2:2379,db3:2379/acme")
        #expect(configuration.store.certificate != nil && configuration.store.key != nil)
    }

    @Test func `its unit runs what listen takes`() throws {
        let unit = try FleetGuide.fence("ini").replacing("\\\n", with: "")
        let line = try #require(
            unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=/usr/bin/pushauth ") })
        let words = line.split(separator: " ").dropFirst(2)
            .map(String.init)
            .map { $0.replacing("${ADDRESS}", with: "10.0.0.11").replacing("%i", with: "a") }
        let command = try ListenCommand.parse(
            words + ["--store", "etcd://db1:2379/acme", "--policy", "policy.toml"])
        #expect(command.fleet.instance == "a" && command.fleet.ready?.port == 8081)
        #expect(command.intakes.fcm?.port == 8443 && command.intakes.apns?.port == 2197)
    }

    @Test func `systemd takes its unit`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let unit = directory.url.appendingPathComponent("pushauth-fleet@a.service")
        let text = try FleetGuide.fence("ini")
            .replacing("/usr/bin/pushauth", with: "/bin/true")
            .replacing("User=_pushauth\nGroup=_pushauth\n", with: "")
        try Data(text.utf8).write(to: unit)
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run([
            "systemd-analyze", "verify", "--man=no", "--recursive-errors=no", unit.path,
        ])
        #expect(result.exitCode == 0 && result.errors.isEmpty, "\(result.errors)")
    }
}

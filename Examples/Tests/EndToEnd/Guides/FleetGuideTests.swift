import ArgumentParser
import Foundation
import LinkedVendors
import Testing

@testable import PushAuthCommand

/// What `docs/guides/fleet.md` has to copy; FleetTrialTests run its haproxy.
@Suite struct `the guide to fleets` {
    private static let guide = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../../../docs/guides/fleet.md").standardizedFileURL

    /// The first fence of a language.
    private func fence(_ language: String) throws -> String {
        let text = try String(contentsOf: Self.guide, encoding: .utf8)
        let parts = text.components(separatedBy: "\n```\(language)\n")
        try #require(parts.count > 1, "\(language)")
        return parts[1].components(separatedBy: "\n```")[0] + "\n"
    }

    @Test func `its configuration names a store that machines share`() throws {
        let configuration = try Configuration(
            parsing: try fence("toml"), linking: LinkedVendors.all)
        #expect(configuration.store.url == "etcd://db1:2379,db2:2379,db3:2379/acme")
        #expect(configuration.store.certificate != nil && configuration.store.key != nil)
    }

    @Test func `its unit runs what listen takes`() throws {
        let unit = try fence("ini").replacing("\\\n", with: "")
        let line = try #require(
            unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=/usr/bin/pushauth ") })
        let words = line.split(separator: " ").dropFirst(2)
            .map { String($0).replacing("${ADDRESS}", with: "10.0.0.11").replacing("%i", with: "a") }
        let command = try ListenCommand.parse(
            words + ["--store", "etcd://db1:2379/acme", "--policy", "policy.toml"])
        #expect(command.fleet.instance == "a" && command.fleet.ready?.port == 8081)
        #expect(command.intakes.fcm?.port == 8443 && command.intakes.apns?.port == 2197)
    }

    @Test func `systemd takes its unit`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let unit = directory.url.appendingPathComponent("pushauth-fleet@a.service")
        let text = try fence("ini")
            .replacing("/usr/bin/pushauth", with: "/bin/true")
            .replacing("User=_pushauth\nGroup=_pushauth\n", with: "")
        try Data(text.utf8).write(to: unit)
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run([
            "systemd-analyze", "verify", "--man=no", "--recursive-errors=no", unit.path,
        ])
        #expect(result.exitCode == 0 && result.errors.isEmpty, "\(result.errors)")
    }
}

import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// Processes of a fleet behind haproxy, with a store on a real server, a vendor, and what senders have.
struct FleetFarm {
    let fleet: FleetSite
    let simulator: ForgeRockSimulator
    let engine: FleetEngine
    let ports = HAProxy.Ports()

    let names = ["a", "b", "c"]

    /// Where keys, certificates and what senders need are.
    var directory: URL { fleet.site.directory }
    var authority: String { directory.appendingPathComponent("ca.pem").path }
    var account: String { directory.appendingPathComponent("push/service-account.json").path }
    var apns: String { directory.appendingPathComponent("push/apns.json").path }
    var origin: String { "https://127.0.0.1:\(ports.web)" }

    /// Where the fleet's FCM is.
    func messages() throws -> String {
        let account = try JSON(parsing: Data(contentsOf: URL(fileURLWithPath: account)))
        return "/v1/projects/\(account["project_id"]?.string ?? "")/messages:send"
    }

    /// Runs a test with a fleet that has devices, `one` among them; haproxy runs, and no process yet.
    static func run(
        on kind: String, with devices: [String] = [],
        _ test: (FleetFarm) async throws -> Void
    ) async throws {
        try await FleetSite.each(kind, setUp: { $0.usesAuthenticationModule = true }) {
            fleet, simulator, engine in
            let farm = FleetFarm(fleet: fleet, simulator: simulator, engine: engine)
            try await farm.prepare(devices)
            let haproxy = try await HAProxy.start(farm.ports, in: farm.directory)
            do {
                try await test(farm)
            } catch {
                await haproxy.stop()
                throw error
            }
            await haproxy.stop()
        }
    }

    private func prepare(_ devices: [String]) async throws {
        let certificates = try await EtcdServer.Certificates(
            in: directory, for: ["server": "/O=push"],
            named: (["127.0.0.1"] + HAProxy.addresses).map { "IP:\($0)" }.joined(separator: ",")
                + ",DNS:push.example")
        let pair = try ["server.pem", "server.key"].map {
            try Data(contentsOf: directory.appendingPathComponent($0))
        }
        try (pair[0] + pair[1]).write(to: directory.appendingPathComponent("push.pem"))
        try FileManager.default.copyItem(
            atPath: certificates.path("ca.pem"), toPath: certificates.path("listeners.pem"))
        let made = try await fleet.pushauth(
            "fleet", "init", "--public-url", origin, "--apns-url",
            "https://127.0.0.1:\(ports.apns)", "--credentials",
            directory.appendingPathComponent("push").path)
        try #require(made.exitCode == 0, "\(made.errors)")
        try await add(["one"] + devices)
        _ = try fleet.site.file(
            "policy.toml", "[[rule]]\nname = \"all\"\naction = \"approve\"\n")
    }

    /// Makes devices, by four processes at the same time if there are many.
    private func add(_ devices: [String]) async throws {
        let share = max(50, (devices.count + 3) / 4)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for start in stride(from: 0, to: devices.count, by: share) {
                let some = Array(devices[start..<min(start + share, devices.count)])
                group.addTask { [fleet] in
                    let added = try await fleet.site.pushauth(
                        ["device", "add", "--service", "fcm"] + some + fleet.place)
                    try #require(added.exitCode == 0, "\(added.errors)")
                }
            }
            try await group.waitForAll()
        }
    }

    /// Enrolls a user on each of some devices; both have the same name.
    func enroll(on devices: [String]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for share in 0..<4 {
                group.addTask { [fleet, simulator] in
                    for index in stride(from: share, to: devices.count, by: 4) {
                        try await fleet.enroll(
                            devices[index], on: devices[index], with: simulator)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Starts one of the three processes, and doesn't wait until it listens.
    func process(_ index: Int, _ options: String...) throws -> ListeningProcess {
        let directory = directory.path
        return try ListeningProcess(
            fleet.place + ports.options(at: HAProxy.addresses[index])
                + [
                    "--instance", names[index], "--take-up", "3", "--policy",
                    directory + "/policy.toml", "--tls-cert", directory + "/server.pem",
                    "--tls-key", directory + "/server.key",
                ] + options,
            environment: fleet.site.environment)
    }

    /// Waits until haproxy has a process to send pushes to.
    func reachable() async throws {
        try await wait("haproxy finds a process") {
            try await web("/ready").status == 200
        }
    }

    // MARK: Requests that a shell would make

    /// What haproxy answers to a request, or a process to one at its own address.
    func web(
        _ path: String, at origin: String? = nil, _ options: String...
    ) async throws -> (status: Int, body: String) {
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
            [
                "curl", "--silent", "--max-time", "20", "--cacert", authority, "--write-out",
                "\n%{http_code}",
            ] + options + [(origin ?? self.origin) + path])
        let lines = result.output.components(separatedBy: "\n")
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }

    /// What a process's `/ready` says; 0 if it isn't there.
    func ready(_ index: Int) async throws -> (status: Int, body: String) {
        try await web("", at: ports.ready(at: HAProxy.addresses[index]))
    }

    func wait(
        _ what: String, within limit: Duration = .seconds(30),
        until isTrue: () async throws -> Bool
    ) async throws {
        let start = ContinuousClock.now
        while try await !isTrue() {
            guard start.duration(to: .now) < limit else {
                throw Browser.Failure("It never came to this: \(what).")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}

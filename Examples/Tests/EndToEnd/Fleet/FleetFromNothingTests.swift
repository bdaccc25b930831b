import Foundation
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// The guide to fleets, block by block in its own order, in an empty folder: no more is put in than hosts,
/// ports and directories of the test's, and what an invitation's QR code says.
@Suite(.serialized, .timeLimit(.minutes(5))) struct `a fleet from nothing` {
    @Test func `is set up on etcd by the guide's blocks, and answers`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let walk = try FleetWalk(site)
            try await walk.reach(simulator)
            do {
                for (language, text) in try FleetGuide.fences(
                    from: "### etcd", to: "### PostgreSQL")
                {
                    try await walk.take(language, text)
                }
                for (language, text) in try FleetGuide.fences(
                    from: "## The fleet", to: "## Day by day")
                {
                    try await walk.take(language, text)
                }
                try await walk.check(simulator)
            } catch {
                await walk.stop()
                throw error
            }
            await walk.stop()
        }
    }
}

/// What has been made so far.
private final class FleetWalk {
    private struct Unexpected: Error { let block: String }

    private let site: PushAuthSite
    private let folder: URL
    private let clients = FreePorts.take(3)
    private let peers = FreePorts.take(3)
    private let ports = HAProxy.Ports()
    private var exports = ""
    private var servers: [ChildProcess] = []
    private var listener: ListeningProcess?
    private var proxy: HAProxy?
    /// The pages' texts that the test has others for.
    private var others: [(guide: String, own: String)] = []

    init(_ site: PushAuthSite) throws {
        self.site = site
        folder = site.directory.appendingPathComponent("fleet", isDirectory: true)
        for name in ["fleet", "etc-etcd", "etc-haproxy", "bin"] {
            try FileManager.default.createDirectory(
                at: site.directory.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            at: site.directory.appendingPathComponent("bin/pushauth"),
            withDestinationURL: Program("pushauth").executable)
        for index in 0..<3 {
            let name = "db\(index + 1)"
            others += [
                ("https://\(name):2379", "https://127.0.0.1:\(clients[index])"),
                ("https://\(name):2380", "https://127.0.0.1:\(peers[index])"),
                ("//\(name):2379", "//127.0.0.1:\(clients[index])"),
                (",\(name):2379", ",127.0.0.1:\(clients[index])"),
            ]
        }
        others += [
            ("DNS:$member", "DNS:$member,IP:127.0.0.1"),
            ("DNS:push.example", "DNS:push.example,IP:127.0.0.1"),
            ("/etc/pushauth/fleet", folder.path + "/etc"), (" -o _pushauth", ""),
            ("/etc/haproxy", folder.path + "/haproxy"), ("/etc/etcd", folder.path),
            ("/var/lib/etcd", folder.path),
        ]
    }

    /// The vendor's simulator stands for a vendor that the configuration needn't name.
    func reach(_ simulator: ForgeRockSimulator) async throws {
        let text = try await simulator.invitation(for: "jane").scannedText ?? ""
        try Data(text.utf8).write(to: folder.appendingPathComponent("code.txt"))
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("haproxy"), withIntermediateDirectories: true)
    }

    private func own(_ text: String) -> String {
        others.reduce(text) { $0.replacingOccurrences(of: $1.guide, with: $1.own) }
    }

    func take(_ language: String, _ text: String) async throws {
        switch language {
        case "sh" where text.contains("ETCD_NAME="): try await startMembers(text)
        case "sh": try await shell(own(text))
        case "toml" where text.contains("postgres://"): break
        case "toml" where text.contains("[store]"):
            // The simulator isn't a vendor of the internet.
            let reach =
                "[server]\nauthorities = \"\(site.certificateFile)\"\n"
                + "[providers.forgerock]\nlocal-hosts = true\n"
            try Data((own(text) + reach).utf8).write(
                to: folder.appendingPathComponent("config.toml"))
        case "toml": try Data(text.utf8).write(to: folder.appendingPathComponent("policy.toml"))
        case "text" where text.contains("fleet prepare"): break
        case "text":
            for line in text.split(separator: "\n") where line.hasPrefix("$ ") {
                try await shell(own(String(line.dropFirst(2))))
            }
        case "ini": try startListener(text)
        case "haproxy":
            proxy = try await HAProxy.start(ports, in: folder.appendingPathComponent("haproxy"))
        default: throw Unexpected(block: text)
        }
    }

    private func shell(_ commands: String) async throws {
        let path =
            site.directory.path + "/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        try await FleetGuide.run(
            exports + commands, in: folder,
            environment: site.environment.merging(["PATH": path]) { $1 })
        exports += commands.split(separator: "\n").filter { $0.hasPrefix("export ") }
            .map { $0 + "\n" }.joined()
    }

    /// The guide has the file of the first member.
    private func startMembers(_ text: String) async throws {
        for index in 0..<3 {
            let name = "db\(index + 1)"
            var text = text.replacingOccurrences(
                of: "10.0.0.1:2379", with: "127.0.0.1:\(clients[index])"
            )
            .replacingOccurrences(of: "10.0.0.1:2380", with: "127.0.0.1:\(peers[index])")
            .replacingOccurrences(of: "ETCD_NAME=db1", with: "ETCD_NAME=\(name)")
            .replacingOccurrences(of: "URLS=https://db1:", with: "URLS=https://\(name):")
            .replacingOccurrences(of: "/etc/etcd/db1.", with: "/etc/etcd/\(name).")
            .replacingOccurrences(of: "/var/lib/etcd/acme", with: "/var/lib/etcd/\(name)")
            text = own(text)
            let file = folder.appendingPathComponent("etcd-\(name)")
            try Data(text.utf8).write(to: file)
            servers.append(
                try ChildProcess(
                    URL(fileURLWithPath: "/usr/bin/env"),
                    [
                        "bash", "-c", "set -a; . '\(file.path)'; exec etcd --log-level error",
                    ], streams: (.nullDevice, .nullDevice, .nullDevice)))
        }
        // Commands come once all three run.
        for port in clients {
            let start = ContinuousClock.now
            let curl = [
                "curl", "--silent", "--cacert", folder.path + "/ca.pem", "--cert",
                folder.path + "/pushauth.pem", "--key", folder.path + "/pushauth.key",
                "https://127.0.0.1:\(port)/health",
            ]
            while try await !Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(curl).output
                .contains("\"true\"")
            {
                try #require(start.duration(to: .now) < .seconds(60))
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private func startListener(_ unit: String) throws {
        let etc = folder.appendingPathComponent("etc")
        let address = try String(
            contentsOf: etc.appendingPathComponent("a.conf"), encoding: .utf8)
        #expect(address == "ADDRESS=10.0.0.11\n")
        var environment = site.environment
        for line in own(unit).split(separator: "\n") where line.hasPrefix("Environment=") {
            let parts = line.dropFirst("Environment=".count).split(separator: "=", maxSplits: 1)
            environment[String(parts[0])] = String(parts[1])
        }
        // What LoadCredential does.
        environment["CREDENTIALS_DIRECTORY"] = try credentials(etc)
        listener = try ListeningProcess(
            ["--instance", "a", "--metrics", "127.0.0.1:0"]
                + ports.options(at: HAProxy.addresses[0]),
            environment: environment)
    }

    private func credentials(_ etc: URL) throws -> String {
        let place = folder.appendingPathComponent("credentials")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let key = place.appendingPathComponent("pushauth.key")
        try FileManager.default.copyItem(at: etc.appendingPathComponent("store.key"), to: key)
        chmod(key.path, 0o600)
        return place.path
    }

    /// A sender that was given what is in `senders` gets a push through, and it is answered.
    func check(_ simulator: ForgeRockSimulator) async throws {
        _ = try #require(listener)
        let secret = try String(
            contentsOf: folder.appendingPathComponent("senders/http-secret"), encoding: .utf8
        ).trimmingCharacters(in: .whitespacesAndNewlines)
        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        let push = try #require(await simulator.takePushes().first)
        let body: JSON = [
            "token": .string(push.deviceToken.text), "data": try JSON(parsing: push.payload),
        ]
        let curl = [
            "curl", "--silent", "--show-error", "--fail", "--retry", "60", "--retry-all-errors",
            "--retry-delay", "1", "--cacert", folder.path + "/ca.pem", "--resolve",
            "push.example:\(ports.web):127.0.0.1", "--header", "Authorization: Bearer \(secret)",
            "--json", body.text, "https://push.example:\(ports.web)/push",
        ]
        let sent = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(curl)
        #expect(sent.exitCode == 0, "\(sent.errors)")
        let start = ContinuousClock.now
        while try await simulator.status(of: login.id) != .approved {
            try #require(start.duration(to: .now) < .seconds(60))
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(await listener?.terminate().code == 0)
    }

    func stop() async {
        await proxy?.stop()
        await listener?.kill()
        for server in servers { server.kill() }
    }
}

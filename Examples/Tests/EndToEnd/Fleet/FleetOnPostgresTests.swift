import Foundation
import PushCore
import PushTesting
import Testing

@testable import push_lab

/// The guide's blocks for PostgreSQL, in their order, up to a fleet with a device.
@Suite(.serialized, .timeLimit(.minutes(5))) struct `a fleet on PostgreSQL from nothing` {
    @Test func `is set up by the guide's blocks, with a standby that is waited for`() async throws {
        try await PushAuthSite.run { site in
            let walk = try DatabaseWalk(site)
            do {
                try await walk.begin()
                try await walk.startPrimary()
                let lonely = try await walk.prepare()
                #expect(lonely.exitCode == 5, "\(lonely.errors)")
                #expect(lonely.errors.contains("a standby must be there"), "\(lonely.errors)")
                try await walk.startStandby()
                let prepared = try await walk.prepare()
                #expect(prepared.exitCode == 0, "\(prepared.errors)")
                for words in ["fleet init", "device add"] {
                    let result = try await walk.run(words)
                    #expect(result.exitCode == 0, "\(words): \(result.errors)")
                }
                let listed = try await walk.pushauth("list")
                #expect(listed.errors == "3 devices, 0 enrollments.\n", "\(listed.errors)")
            } catch {
                walk.stop()
                throw error
            }
            walk.stop()
        }
    }
}

private final class DatabaseWalk {
    private let site: PushAuthSite
    private let folder: URL
    private let place: URL
    private let ports = FreePorts.take(2)
    private let passwords = ["replicator": "r3pl", "pushadmin": "adm1n", "acme": "s3cret"]
    private var servers: [ChildProcess] = []

    init(_ site: PushAuthSite) throws {
        self.site = site
        folder = site.directory.appendingPathComponent("fleet", isDirectory: true)
        place = FileManager.default.temporaryDirectory
            .appendingPathComponent("fleet-standby-\(UUID().uuidString)", isDirectory: true)
        for directory in [folder, place] {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
        }
        DatabaseServer.give(place)
    }

    /// The authority and the certificates, and the two files with passwords.
    func begin() async throws {
        try await FleetGuide.run(
            try FleetGuide.fence(
                "sh", with: "openssl req -x509", ["DNS:$member": "DNS:$member,IP:127.0.0.1"]),
            in: folder)
        for (file, role) in [("store.password", "acme"), ("admin.password", "pushadmin")] {
            let url = folder.appendingPathComponent(file)
            try Data(((passwords[role] ?? "") + "\n").utf8).write(to: url)
            chmod(url.path, 0o600)
        }
        try await FleetGuide.run(try FleetGuide.fence("sh", with: "> store.key"), in: folder)
        let configuration = try FleetGuide.fence(
            "toml", with: "postgres://",
            ["db1,db2,db3": ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")])
        try Data(configuration.utf8).write(to: folder.appendingPathComponent("config.toml"))
    }

    func startPrimary() async throws {
        let data = place.appendingPathComponent("db1")
        try await DatabaseServer.makeCluster(data.path)
        for (file, name) in [("db1.pem", "server.pem"), ("db1.key", "server.key")] {
            let copy = data.appendingPathComponent(name)
            try FileManager.default.copyItem(at: folder.appendingPathComponent(file), to: copy)
            chmod(copy.path, 0o600)
            DatabaseServer.give(copy)
        }
        let authority = place.appendingPathComponent("ca.pem")
        try FileManager.default.copyItem(at: folder.appendingPathComponent("ca.pem"), to: authority)
        let settings = try FleetGuide.fence(
            "text", with: "# postgresql.conf", ["'*'": "'127.0.0.1'"])
        let file = data.appendingPathComponent("postgresql.conf")
        try (String(contentsOf: file, encoding: .utf8) + settings)
            .write(to: file, atomically: false, encoding: .utf8)
        let hosts = try FleetGuide.fence(
            "text", with: "# pg_hba.conf", ["10.0.0.0/24 ": "127.0.0.1/32"])
        try ("local all all trust\n" + hosts).write(
            to: data.appendingPathComponent("pg_hba.conf"), atomically: false, encoding: .utf8)
        try await start(data, on: ports[0])
        var sql = try FleetGuide.fence("sql", with: "CREATE ROLE pushadmin")
        for (role, password) in passwords {
            sql = sql.split(separator: "\n", omittingEmptySubsequences: false).map {
                $0.contains("ROLE \(role) ")
                    ? $0.replacingOccurrences(of: "'…'", with: "'\(password)'") : String($0)
            }.joined(separator: "\n")
        }
        let script = place.appendingPathComponent("roles.sql")
        try Data(sql.utf8).write(to: script)
        _ = try await psql(["-f", script.path])
    }

    private func start(_ data: URL, on port: Int) async throws {
        let output = Pipe()
        servers.append(
            try ChildProcess(
                URL(fileURLWithPath: "/usr/bin/env"),
                DatabaseServer.asUser + [try DatabaseServer.tools() + "postgres", "-D", data.path]
                    + [
                        "port=\(port)", "lc_messages=C", "unix_socket_directories=\(place.path)",
                        "shared_buffers=32MB",
                    ].flatMap { ["-c", $0] }, environment: ["HOME": place.path],
                streams: (.nullDevice, .nullDevice, output.fileHandleForWriting)))
        for await line in Lines.stream(from: output.fileHandleForReading)
        where line.contains("ready to accept") {
            Task { for await _ in Lines.stream(from: output.fileHandleForReading) {} }
            return
        }
        throw Browser.Failure("PostgreSQL doesn't start.")
    }

    private func psql(_ arguments: [String]) async throws -> String {
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
            [
                "psql", "-qtA", "-v", "ON_ERROR_STOP=1", "-h", place.path, "-p", "\(ports[0])",
                "-U",
                "postgres",
            ] + arguments)
        try #require(result.exitCode == 0, "\(result.errors)")
        return result.output
    }

    func startStandby() async throws {
        let data = place.appendingPathComponent("db2")
        let commands = try FleetGuide.fence(
            "sh", with: "pg_basebackup",
            [
                "/var/lib/postgresql/15/push": data.path,
                "host=db1": "host=127.0.0.1 port=\(ports[0])",
                "/etc/postgresql/ca.pem": place.path + "/ca.pem",
            ])
        let script = place.appendingPathComponent("copy.sh")
        try Data(commands.utf8).write(to: script)
        let copied = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
            DatabaseServer.asUser + ["bash", "-eu", script.path],
            // It looks for certificates of its own there, and may not in root's.
            environment: ["PGPASSWORD": passwords["replicator"] ?? "", "HOME": place.path])
        try #require(copied.exitCode == 0, "\(copied.errors)")
        try await start(data, on: ports[1])
        let begin = ContinuousClock.now
        while try await psql([
            "-c", "SELECT sync_state FROM pg_stat_replication WHERE application_name = 'db2'",
        ]) != "quorum\n" {
            try #require(begin.duration(to: .now) < .seconds(60))
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// The guide's line, without what a shell does with its quotes and its variable.
    func prepare() async throws -> Program.Result {
        try await run("fleet prepare")
    }

    func run(_ words: String) async throws -> Program.Result {
        let line = try FleetGuide.fences(from: "## The fleet", to: "## Day by day")
            .flatMap { $0.text.split(separator: "\n") }
            .first { $0.hasPrefix("$ ") && $0.contains("pushauth " + words) }
        var command = String(try #require(line).dropFirst(2))
        command = command.replacingOccurrences(
            of: "db1,db2,db3", with: ports.map { "127.0.0.1:\($0)" }.joined(separator: ","))
        return try await shell(command)
    }

    func pushauth(_ arguments: String) async throws -> Program.Result {
        try await shell("pushauth " + arguments)
    }

    private func shell(_ command: String) async throws -> Program.Result {
        let exports = try FleetGuide.fence("sh", with: "export PUSHAUTH_CONFIG")
        let own = command.replacingOccurrences(
            of: "pushauth ", with: Program("pushauth").executable.path + " ")
        return try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
            ["bash", "-eu", "-c", "cd '\(folder.path)'\n" + exports + own],
            environment: site.environment)
    }

    func stop() {
        for server in servers { server.kill() }
        try? FileManager.default.removeItem(at: place)
    }
}

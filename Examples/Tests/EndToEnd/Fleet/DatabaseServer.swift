import Foundation
import Testing

@testable import push_lab

/// A real PostgreSQL on loopback, with its data in a directory of its own; the package's own cluster is
/// left alone.
final class DatabaseServer: Sendable {
    let port: Int
    private let directory: URL
    private let child: ChildProcess

    /// PostgreSQL refuses to run as root.
    static let asUser =
        geteuid() == 0
        ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []

    /// As `--store` has it.
    func store(
        of tenant: String, as role: String = "postgres", in database: String = "postgres"
    ) -> String {
        "postgres://\(role)@127.0.0.1:\(port)/\(database)?sslmode=disable&tenant=\(tenant)"
    }

    /// Tells it the roles and the database that the guide to fleets has.
    func makeRoles() async throws {
        let file = directory.appendingPathComponent("roles.sql")
        try Data(FleetGuide.fence("sql", with: "CREATE ROLE pushadmin").utf8).write(to: file)
        try await FleetGuide.run(
            "psql --quiet -v ON_ERROR_STOP=1 -d 'host=127.0.0.1 port=\(port) user=postgres' -f '\(file.path)'",
            in: FileManager.default.temporaryDirectory)
    }

    /// Where the newest version's programs are, with a slash behind.
    static func tools() throws -> String {
        let versions = URL(fileURLWithPath: "/usr/lib/postgresql")
        let newest = try FileManager.default.contentsOfDirectory(atPath: versions.path)
            .max { $0.compare($1, options: .numeric) == .orderedAscending }
        return versions.appendingPathComponent(try #require(newest)).path + "/bin/"
    }

    /// Gives a file or a folder to the user that PostgreSQL runs as.
    static func give(_ file: URL) {
        if let user = getpwnam("postgres"), geteuid() == 0 {
            chown(file.path, user.pointee.pw_uid, user.pointee.pw_gid)
        }
    }

    /// Makes a cluster.
    static func makeCluster(_ data: String) async throws {
        let made = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
            asUser + [
                try tools() + "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
                "--locale=C", "--no-sync",
            ])
        try #require(made.exitCode == 0, "\(made.errors)")
    }

    static func start() async throws -> DatabaseServer {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("fleet-postgres-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        give(directory)
        let data = directory.appendingPathComponent("data").path
        try await makeCluster(data)
        let port = FreePorts.take(1)[0]
        let output = Pipe()
        let child = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/env"),
            asUser + [try tools() + "postgres", "-D", data]
                + [
                    "listen_addresses=127.0.0.1", "port=\(port)", "lc_messages=C",
                    "unix_socket_directories=\(directory.path)", "shared_buffers=32MB",
                ].flatMap { ["-c", $0] },
            streams: (.nullDevice, .nullDevice, output.fileHandleForWriting))
        let server = DatabaseServer(port: port, directory: directory, child: child)
        for await line in Lines.stream(from: output.fileHandleForReading)
        where line.contains("ready to accept connections") {
            return server
        }
        throw Browser.Failure("PostgreSQL doesn't start.")
    }

    private init(port: Int, directory: URL, child: ChildProcess) {
        self.port = port
        self.directory = directory
        self.child = child
    }

    deinit { child.kill() }

    /// Ends it, without waiting for its clients.
    func stop() async throws {
        child.interrupt()
        _ = await child.ended()
        try FileManager.default.removeItem(at: directory)
    }
}

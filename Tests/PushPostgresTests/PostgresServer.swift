#if os(Linux)
import Foundation
import PushCore
import PushPostgres
import PushTesting

/// A PostgreSQL server of the tests' own: on loopback, with a data folder in the temporary directory,
/// and gone when this process is. The cluster that Debian's package makes is left alone.
final class PostgresServer: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// One that tests share which don't harm it; each has a schema of its own there.
    static let shared = Task { try await PostgresServer.start() }

    let port: UInt16
    private let directory: URL
    private let life: Life

    /// The running server, which a restart replaces.
    private actor Life {
        var shell: Spawned?
        var pid: Int32 = 0

        func begin(_ shell: Spawned, _ pid: Int32) {
            (self.shell, self.pid) = (shell, pid)
        }
    }

    /// Makes a data folder, and starts a server on it.
    static func start(_ settings: [String] = []) async throws -> PostgresServer {
        let server = try PostgresServer()
        try server.initialize()
        try await server.launch(settings)
        return server
    }

    private init() throws {
        // What is written to a process that has just ended is lost, and no reason to end.
        signal(SIGPIPE, SIG_IGN)
        port = try LoopbackServer.deafPort()
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("push-postgres-\(UUID().uuidString)", isDirectory: true)
        life = Life()
    }

    // MARK: Processes

    /// PostgreSQL refuses to run as root.
    private static let asUser = geteuid() == 0 ? ["runuser", "-u", "postgres", "--"] : []

    private static func tool(_ name: String) throws -> String {
        let versions = "/usr/lib/postgresql"
        let newest = (try? FileManager.default.contentsOfDirectory(atPath: versions))?
            .max { $0.compare($1, options: .numeric) == .orderedAscending }
        guard let newest else {
            throw Failure(
                description: "PostgreSQL isn't installed: run `.ci/packages tests` first.")
        }
        return "\(versions)/\(newest)/bin/\(name)"
    }

    private static func run(_ arguments: [String]) throws -> String {
        let (output, isSuccess) = try Spawned(asUser + arguments).end()
        guard isSuccess else {
            throw Failure(description: "\(arguments[0]) fails: \(output.suffix(2000))")
        }
        return output
    }

    private func initialize() throws {
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        if let user = getpwnam("postgres"), geteuid() == 0 {
            chown(directory.path, user.pointee.pw_uid, user.pointee.pw_gid)
        }
        _ = try Self.run([
            try Self.tool("initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
            "--locale=C", "--no-sync",
        ])
    }

    private var data: String { directory.appendingPathComponent("data").path }

    /// The shell ends the server, and takes the folder away, once nobody holds its input any more.
    private static let script = """
        "$@" & pid=$!; echo "pid $pid" >&2
        while read -r line; do if [ "$line" = leave ]; then exit 0; fi; done
        kill -QUIT $pid 2>/dev/null; wait; rm -rf "$0"/*; rmdir "$0" 2>/dev/null
        """

    private func launch(_ settings: [String]) async throws {
        let fixed = [
            "listen_addresses=127.0.0.1", "port=\(port)",
            "unix_socket_directories=\(directory.path)",
            "shared_buffers=32MB", "fsync=on", "lc_messages=C", "max_connections=60",
        ]
        let shell = try Spawned(
            Self.asUser + ["sh", "-c", Self.script, directory.path, try Self.tool("postgres")]
                + ["-D", data] + (fixed + settings).flatMap { ["-c", $0] })
        let ready = Ready()
        Thread.detachNewThread {
            var text = ""
            while case let bytes = shell.output.availableData, !bytes.isEmpty {
                text += String(decoding: bytes, as: UTF8.self)
                if text.contains("ready to accept connections") { ready.tell(.success(text)) }
            }
            let failure = Failure(description: "The server has ended: \(text.suffix(2000))")
            ready.tell(.failure(failure))
        }
        let text = try await ready.value()
        guard let pid = text.firstMatch(of: /pid (\d+)/).flatMap({ Int32($0.1) }) else {
            throw Failure(description: "The server has no process: \(text)")
        }
        await life.begin(shell, pid)
    }

    /// Ends it, and takes its folder away.
    func stop() async throws {
        guard let shell = await life.shell else { return }
        try shell.input.close()
        try await Self.wait(for: shell)
    }

    private static func wait(for shell: Spawned) async throws {
        while !shell.hasEnded { try await Task.sleep(for: .milliseconds(10)) }
    }

    // MARK: Kills

    /// Kills the server and all its processes in the midst of whatever they do, and starts it again on
    /// what is left on the disk. The change gets the data folder while nobody has it.
    func killAndRestart(_ change: (String) throws -> Void = { _ in }) async throws {
        let postmaster = await life.pid
        // Without its postmaster a process would still finish, and tell its client.
        kill(postmaster, SIGSTOP)
        let children = Self.children(of: postmaster)
        for child in [postmaster] + children { kill(child, SIGKILL) }
        // The shell has waited for the postmaster; nobody may hold its memory any more.
        while ([postmaster] + children).contains(where: Self.isAlive) {
            try await Task.sleep(for: .milliseconds(5))
        }
        // Its shell goes, and leaves the folder. A child that nobody waits for would keep the test library
        // from seeing its own end.
        if let shell = await life.shell {
            try shell.input.write(contentsOf: Data("leave\n".utf8))
            try await Self.wait(for: shell)
        }
        try change(data)
        try await launch([])
    }

    /// Ends one backend or all, as an administrator would.
    func terminateBackends() throws {
        try query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                + "AND backend_type = 'client backend'")
    }

    private static func children(of parent: Int32) -> [Int32] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap { Int32($0) }.filter { status($0)?.parent == parent }
    }

    private static func isAlive(_ pid: Int32) -> Bool {
        status(pid).map { $0.state != "Z" } ?? false
    }

    private static func status(_ pid: Int32) -> (state: Substring, parent: Int32)? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[end...].split(separator: " ")
        guard fields.count > 2, let parent = Int32(fields[2]) else { return nil }
        return (fields[1], parent)
    }

    // MARK: Use

    /// Runs SQL by PostgreSQL's own client, as the administrator.
    @discardableResult
    func query(_ text: String) throws -> String {
        try Self.run([
            try Self.tool("psql"), "-h", "127.0.0.1", "-p", "\(port)", "-U", "postgres", "-qtA",
            "-v",
            "ON_ERROR_STOP=1", "-c", text,
        ]).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func address(role: String = "postgres", port: UInt16? = nil) -> String {
        "postgres://\(role)@127.0.0.1:\(port ?? self.port)/postgres?sslmode=disable"
    }

    /// A store with tables of its own.
    func store(
        _ schema: String, port: UInt16? = nil, patience: Duration = .seconds(10),
        onSettled: (@Sendable (SettledWrite) -> Void)? = nil
    ) async throws -> PostgresStore {
        try await PostgresStore.prepare(.init(address(), schema: schema))
        var configuration = PostgresStore.Configuration(
            address(port: port), schema: schema, patience: patience)
        configuration.onSettled = onSettled
        return try await PostgresStore(configuration)
    }
}

/// A word that a thread says once.
private final class Ready: Sendable {
    private let (stream, continuation) = AsyncStream<Result<String, any Error>>.makeStream()

    func tell(_ result: Result<String, any Error>) {
        continuation.yield(result)
    }

    func value() async throws -> String {
        for await result in stream { return try result.get() }
        return ""
    }
}
#endif

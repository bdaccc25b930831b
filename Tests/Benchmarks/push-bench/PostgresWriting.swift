import Foundation
import Harness
import PushCore
import PushPlatform
import PushPostgres
import PushSealing

/// What a compare-and-set costs through the store, beside a bare loop over libpq with one prepared UPDATE:
/// with one writer, and with eight at once.
func writingToPostgres() async throws -> [Comparison] {
    guard let server = try await PostgresProcess() else {
        print("PostgresStore: not measured, as there is no PostgreSQL, or no libpq.so.5\n")
        return []
    }
    let key = Secret([UInt8](repeating: 7, count: 32))
    var comparisons: [Comparison] = []
    for count in [1, 8] {
        let bare = try (0..<count).map { try BareLibpq(server, $0) }
        let store = try await server.store("plain")
        let plain = (0..<count).map { RecordWriter(store, $0) }
        let sealing = try await SealedStore(
            try await server.store("sealed"), key: KeySource { () async throws(PushError) in key },
            tenant: "sealed")
        let sealed = (0..<count).map { RecordWriter(sealing, $0) }
        let name = count == 1 ? "one writer" : "\(count) writers at once"
        var comparison = Comparison("PostgresStore: replace a record, \(name)")
        comparison.add("the statement alone") {
            try await atOnce(bare.map { writer in { try await writer.write() } })
        }
        comparison.add("PostgresStore.write") {
            try await atOnce(plain.map { writer in { try await writer.write() } })
        }
        comparison.add("SealedStore.write over it") {
            try await atOnce(sealed.map { writer in { try await writer.write() } })
        }
        comparisons.append(comparison)
    }
    return comparisons
}

/// Replaces one row again and again, by libpq alone, on a thread of its own.
private final class BareLibpq: @unchecked Sendable {
    // Safe, as only its queue touches what it has.
    private let queue: DispatchQueue
    private let libpq: Libpq
    private let connection: OpaquePointer
    private let name: String
    private var revision = 1

    init(_ server: PostgresProcess, _ number: Int) throws {
        queue = DispatchQueue(label: "bare \(number)")
        libpq = server.libpq
        name = "\(UUID()) \(number)"
        guard let connection = libpq.connect(server.address), libpq.status(connection) == 0 else {
            throw PushError(.storage, "libpq doesn't connect.")
        }
        self.connection = connection
        libpq.clear(libpq.exec(connection, "SET synchronous_commit = on"))
        libpq.clear(
            libpq.exec(
                connection,
                "CREATE TABLE IF NOT EXISTS bare (name text PRIMARY KEY, revision bigint NOT NULL, "
                    + "value bytea NOT NULL) WITH (fillfactor = 70); "
                    + "ALTER TABLE bare ALTER COLUMN value SET STORAGE EXTERNAL"))
        libpq.clear(libpq.exec(connection, "INSERT INTO bare VALUES ('\(name)', 1, '')"))
        libpq.clear(
            libpq.prepare(
                connection, "cas",
                "UPDATE bare SET revision = $3, value = $4 WHERE name = $1 AND revision = $2 "
                    + "RETURNING 1", 0, nil))
    }

    deinit { libpq.finish(connection) }

    func write() async throws {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Result { try self.writeNow() })
            }
        }
    }

    private func writeNow() throws {
        let texts = [name, "\(revision)", "\(revision + 1)"].map { Array($0.utf8CString) }
        let lengths = texts.map { Int32($0.count) } + [Int32(documentBytes.count)]
        let count: Int32 = texts[0].withUnsafeBufferPointer { name in
            texts[1].withUnsafeBufferPointer { old in
                texts[2].withUnsafeBufferPointer { new in
                    documentBytes.withUnsafeBytes { value in
                        let values: [UnsafePointer<CChar>?] = [
                            name.baseAddress, old.baseAddress, new.baseAddress,
                            value.baseAddress?.assumingMemoryBound(to: CChar.self),
                        ]
                        let result = libpq.execPrepared(
                            connection, "cas", 4, values, lengths, [0, 0, 0, 1], 1)
                        defer { libpq.clear(result) }
                        return libpq.rows(result)
                    }
                }
            }
        }
        guard count == 1 else { throw PushError(.conflict, "The row isn't as it was.") }
        revision += 1
    }
}

/// The functions of libpq that a bare loop needs.
private struct Libpq: @unchecked Sendable {
    typealias Texts = UnsafePointer<UnsafePointer<CChar>?>
    let connect: @convention(c) (UnsafePointer<CChar>) -> OpaquePointer?
    let status: @convention(c) (OpaquePointer) -> Int32
    let exec: @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> OpaquePointer?
    let prepare:
        @convention(c) (
            OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>, Int32, UnsafePointer<UInt32>?
        ) -> OpaquePointer?
    let execPrepared:
        @convention(c) (
            OpaquePointer, UnsafePointer<CChar>, Int32, Texts, UnsafePointer<Int32>,
            UnsafePointer<Int32>, Int32
        ) -> OpaquePointer?
    let rows: @convention(c) (OpaquePointer?) -> Int32
    let clear: @convention(c) (OpaquePointer?) -> Void
    let finish: @convention(c) (OpaquePointer) -> Void

    init?() {
        guard let library = dlopen("libpq.so.5", RTLD_NOW),
            let connect = dlsym(library, "PQconnectdb"), let status = dlsym(library, "PQstatus"),
            let exec = dlsym(library, "PQexec"), let prepare = dlsym(library, "PQprepare"),
            let execPrepared = dlsym(library, "PQexecPrepared"),
            let rows = dlsym(library, "PQntuples"), let clear = dlsym(library, "PQclear"),
            let finish = dlsym(library, "PQfinish")
        else { return nil }
        self.connect = unsafeBitCast(connect, to: type(of: self.connect))
        self.status = unsafeBitCast(status, to: type(of: self.status))
        self.exec = unsafeBitCast(exec, to: type(of: self.exec))
        self.prepare = unsafeBitCast(prepare, to: type(of: self.prepare))
        self.execPrepared = unsafeBitCast(execPrepared, to: type(of: self.execPrepared))
        self.rows = unsafeBitCast(rows, to: type(of: self.rows))
        self.clear = unsafeBitCast(clear, to: type(of: self.clear))
        self.finish = unsafeBitCast(finish, to: type(of: self.finish))
    }
}

/// A PostgreSQL server of its own on loopback, with its data in a folder that goes with it.
final class PostgresProcess: Sendable {
    fileprivate let libpq: Libpq
    private let folder: URL
    private let port: Int
    private let process: Process

    init?() async throws {
        let versions = "/usr/lib/postgresql"
        let newest = (try? FileManager.default.contentsOfDirectory(atPath: versions))?
            .max { $0.compare($1, options: .numeric) == .orderedAscending }
        guard let newest, let libpq = Libpq() else { return nil }
        self.libpq = libpq
        let tools = "\(versions)/\(newest)/bin"
        port = Int.random(in: 12_000..<31_000)
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("push-bench-postgres-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if geteuid() == 0, let user = getpwnam("postgres") {
            chown(folder.path, user.pointee.pw_uid, user.pointee.pw_gid)
        }
        let data = folder.appendingPathComponent("data").path
        let made = try Self.start([
            "\(tools)/initdb", "-D", data, "-U", "postgres", "-A", "trust", "--locale=C",
        ])
        made.waitUntilExit()
        process = try Self.start([
            "\(tools)/postgres", "-D", data, "-c", "listen_addresses=127.0.0.1", "-c",
            "port=\(port)", "-c", "unix_socket_directories=\(folder.path)", "-c", "fsync=on",
        ])
        for schema in ["plain", "sealed"] {
            try await PostgresStore.prepare(.init(address, schema: schema))
        }
    }

    deinit {
        // SIGTERM would wait for clients that are still connected.
        process.interrupt()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    /// PostgreSQL refuses to run as root.
    private static func start(_ arguments: [String]) throws -> Process {
        let process = Process()
        let all =
            (geteuid() == 0
                ? [
                    "setpriv", "--reuid=postgres", "--regid=postgres",
                    "--clear-groups",
                ] : []) + arguments
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = all
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    var address: String { "postgres://postgres@127.0.0.1:\(port)/postgres?sslmode=disable" }

    func store(_ schema: String) async throws -> PostgresStore {
        try await PostgresStore(.init(address, schema: schema))
    }
}

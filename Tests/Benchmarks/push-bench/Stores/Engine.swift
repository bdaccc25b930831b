import Foundation
import PushCore
import PushEtcd
import PushPlatform
import PushPostgres

/// Where stores of one kind are.
protocol StoreServer: Sendable {
    static var name: String { get }

    /// A store of the product's, over connections of its own.
    func newStore(_ tenant: String) async throws -> any CredentialStore
}

/// A server of an engine, with the bare loop that its store is measured by.
protocol Engine: StoreServer {
    /// How many compare-and-sets a second a program makes that has no store.
    func bare(_ clients: Int, seconds: Double) throws -> Double
}

extension EtcdProcess: Engine {
    static var name: String { "etcd" }

    func newStore(_ tenant: String) async throws -> any CredentialStore {
        try EtcdStore(
            .init(members: ["http://\(authority)"], tenant: tenant),
            transport: CurlTransport(.etcd(plainHTTP: .loopbackOnly)))
    }

    func bare(_ clients: Int, seconds: Double) throws -> Double {
        let program = Tool.folder.appendingPathComponent("etcd-cas").path
        if !FileManager.default.fileExists(atPath: program) {
            try Tool.run(
                ["cc", "-O2", Tool.bare("etcd-cas.c"), "-o", program, "-lcurl", "-lpthread"])
        }
        let output = try Tool.run([program, "http://\(authority)", "\(clients)", "\(seconds)"])
        return Double(output.split(separator: "\n").first ?? "") ?? 0
    }
}

extension PostgresProcess: Engine {
    static var name: String { "PostgreSQL" }

    func newStore(_ tenant: String) async throws -> any CredentialStore {
        try await PostgresStore.prepare(.init(address, schema: tenant))
        return try await PostgresStore(.init(address, schema: tenant))
    }

    func bare(_ clients: Int, seconds: Double) throws -> Double {
        let rows = (0..<clients).map { "(\($0), 0, '')" }.joined(separator: ",")
        try Tool.run([
            "psql", "-qX", address, "-c",
            """
            SET client_min_messages = error; DROP TABLE IF EXISTS bare;
            CREATE TABLE bare (name bigint PRIMARY KEY, revision bigint NOT NULL, value bytea NOT NULL)
                WITH (fillfactor = 70);
            ALTER TABLE bare ALTER COLUMN value SET STORAGE EXTERNAL;
            INSERT INTO bare VALUES \(rows)
            """,
        ])
        let value = randomDocument().map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
        // By their number, as a program that this one starts may not hear its own alarm.
        let few = 200
        let pace = try pgbench(clients, few, value, from: 0)
        let many = max(few, Int(pace * seconds) / clients)
        return try pgbench(clients, many, value, from: few)
    }

    private func pgbench(
        _ clients: Int, _ count: Int, _ value: String, from revision: Int
    ) throws -> Double {
        let output = try Tool.run([
            "pgbench", "-n", "-M", "prepared", "-c", "\(clients)", "-j", "\(min(clients, 2))",
            "-t", "\(count)", "-D", "revision=\(revision)", "-D", "value=\\x\(value)",
            "-f", Tool.bare("postgres-cas.sql"), address,
        ])
        let line = output.split(separator: "\n").first { $0.hasPrefix("tps = ") }
        return Double(line?.dropFirst(6).split(separator: " ").first ?? "") ?? 0
    }
}

/// As many bytes as an enrollment's record has in a fleet, which nothing compresses.
func randomDocument() -> [UInt8] { (0..<4800).map { _ in .random(in: 0...255) } }

/// Programs that others have written, and the two of `Bare`.
enum Tool {
    /// Where the bare loop is compiled to.
    static let folder = FileManager.default.temporaryDirectory

    static func bare(_ name: String, here: String = #filePath) -> String {
        URL(fileURLWithPath: here).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Bare/\(name)").path
    }

    @discardableResult
    static func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw PushError(.storage, "\(arguments[0]) fails.")
        }
        return String(decoding: data, as: UTF8.self)
    }
}

import Foundation
import Testing

@testable import push_lab

/// Three real members of etcd on loopback, called as the guide to fleets calls them.
actor EtcdTrio {
    static let names = ["db1", "db2", "db3"]

    nonisolated let directory: URL
    private let clients: [Int]
    private let peers: [Int]
    private var children: [ChildProcess?] = [nil, nil, nil]

    /// Where it is, as `--store` has it.
    nonisolated let store: String

    /// Starts all three, with their data in a directory of the test's.
    init(in directory: URL, tenant: String) async throws {
        self.directory = directory
        let ports = FreePorts.take(6)
        clients = Array(ports[..<3])
        peers = Array(ports[3...])
        store = "etcd+http://\(clients.map { "127.0.0.1:\($0)" }.joined(separator: ","))/\(tenant)"
        for index in Self.names.indices { try start(index) }
        try await healthy()
    }

    deinit { for child in children { child?.kill() } }

    nonisolated func data(of index: Int) -> String {
        directory.appendingPathComponent(Self.names[index]).path
    }

    nonisolated func client(_ index: Int) -> String { "http://127.0.0.1:\(clients[index])" }
    nonisolated func peer(_ index: Int) -> String { "http://127.0.0.1:\(peers[index])" }

    /// Starts a member, on the data that it has.
    func start(_ index: Int) throws {
        let cluster = Self.names.indices.map { "\(Self.names[$0])=\(peer($0))" }
        children[index] = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/env"),
            [
                "etcd", "--name", Self.names[index], "--data-dir", data(of: index),
                "--listen-client-urls", client(index), "--advertise-client-urls", client(index),
                "--listen-peer-urls", peer(index), "--initial-advertise-peer-urls", peer(index),
                "--initial-cluster", cluster.joined(separator: ","), "--log-level", "error",
            ], streams: (.nullDevice, .nullDevice, .nullDevice))
    }

    /// Ends a member as a supervisor does.
    func stop(_ index: Int) async {
        let child = children[index]
        child?.terminate()
        _ = await child?.ended()
    }

    func stop() async {
        for index in Self.names.indices { await stop(index) }
    }

    /// Waits until each member says that it answers for more than half of them.
    func healthy() async throws {
        for index in Self.names.indices {
            let start = ContinuousClock.now
            while try await !isHealthy(index) {
                try #require(start.duration(to: .now) < .seconds(60), "\(Self.names[index])")
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private func isHealthy(_ index: Int) async throws -> Bool {
        let reply = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run([
            "curl", "--silent", "--max-time", "5", client(index) + "/health",
        ])
        return reply.output.contains("\"true\"")
    }

    /// What a shell has in the guide to fleets.
    nonisolated var environment: [String: String] {
        [
            "ETCDCTL_API": "3",
            "ETCDCTL_ENDPOINTS": Self.names.indices.map(client).joined(separator: ","),
        ]
    }

    /// Turns authentication on, with a user `pushauth` for one tenant.
    func enableAuthentication(for tenant: String) async throws {
        for command in EtcdServer.authentication(for: tenant) {
            let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env"))
                .run(["etcdctl"] + command, environment: environment)
            try #require(result.exitCode == 0, "\(command): \(result.errors)")
        }
    }
}

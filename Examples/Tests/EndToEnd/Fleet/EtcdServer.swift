import Foundation
import Testing

@testable import push_lab

/// A real etcd on loopback, of one member, with its data in a directory of the test's.
final class EtcdServer: Sendable {
    /// Files of one authority: by default for the server, and for a client whose certificate has no
    /// CommonName.
    struct Certificates {
        let directory: URL

        init(
            in directory: URL,
            for subjects: KeyValuePairs<String, String> = [
                "etcd": "/O=etcd", "client": "/O=acme",
            ], named names: String = "IP:127.0.0.1"
        ) async throws {
            self.directory = directory
            let openssl = OpenSSL(directory: directory)
            try await openssl.run(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Lab")
            for (name, subject) in subjects {
                try Data("subjectAltName=\(names)\n".utf8)
                    .write(to: directory.appendingPathComponent("names"))
                try await openssl.run(
                    "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout", "\(name).key", "-out", "\(name).csr", "-subj", subject)
                try await openssl.run(
                    "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                    "-CAcreateserial", "-out", "\(name).pem", "-days", "2", "-extfile", "names")
                chmod(path("\(name).key"), 0o600)
            }
        }

        func path(_ name: String) -> String { directory.appendingPathComponent(name).path }
    }

    let port: Int
    private let child: ChildProcess
    private let certificates: Certificates?

    /// Where it is, as `--store` has it before the tenant.
    var place: String { "\(certificates == nil ? "etcd+http" : "etcd")://127.0.0.1:\(port)" }

    static func start(
        in directory: URL, quota: Int? = nil, with certificates: Certificates? = nil
    ) async throws -> EtcdServer {
        let ports = FreePorts.take(2)
        let url = "\(certificates == nil ? "http" : "https")://127.0.0.1:\(ports[0])"
        let peer = "http://127.0.0.1:\(ports[1])"
        var arguments = [
            "etcd", "--data-dir", directory.appendingPathComponent("etcd-\(ports[0])").path,
            "--listen-client-urls", url, "--advertise-client-urls", url, "--listen-peer-urls", peer,
            "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=\(peer)",
            "--log-level", "error",
        ]
        if let quota { arguments += ["--quota-backend-bytes", "\(quota)"] }
        if let certificates {
            arguments += [
                "--cert-file", certificates.path("etcd.pem"), "--key-file",
                certificates.path("etcd.key"), "--trusted-ca-file", certificates.path("ca.pem"),
                "--client-cert-auth",
            ]
        }
        let child = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/env"), arguments,
            streams: (.nullDevice, .nullDevice, .nullDevice))
        let server = EtcdServer(port: ports[0], child: child, certificates: certificates)
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(60) {
            if try await server.control("get", "x") { return server }
            try #require(child.isRunning)
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Browser.Failure("etcd doesn't start.")
    }

    private init(port: Int, child: ChildProcess, certificates: Certificates?) {
        self.port = port
        self.child = child
        self.certificates = certificates
    }

    deinit { child.kill() }

    /// Lets it answer nobody, until it goes on.
    func pause() {
        child.send(SIGSTOP)
    }

    func proceed() {
        child.send(SIGCONT)
    }

    /// Ends it at once.
    func kill() async {
        child.kill()
        _ = await child.ended()
    }

    /// Runs etcd's own client.
    ///
    /// - Returns: Whether it succeeded.
    @discardableResult
    func control(_ arguments: String...) async throws -> Bool {
        try await control(arguments)
    }

    /// The keys that begin with some bytes.
    func keys(_ prefix: String) async throws -> [String] {
        try await run(["get", prefix, "--prefix", "--keys-only"]).output.split(separator: "\n")
            .map(String.init)
    }

    /// How often it was asked for a range or a transaction until now, as its own counters say.
    func reads() async throws -> Int {
        let page = try await Program(at: URL(fileURLWithPath: "/usr/bin/env"))
            .run(["curl", "--silent", "--fail", "http://127.0.0.1:\(port)/metrics"])
        try #require(page.exitCode == 0)
        return page.output.split(separator: "\n").filter { line in
            line.hasPrefix("grpc_server_started_total{")
                && ["Range", "Txn"].contains { line.contains("grpc_method=\"\($0)\"") }
        }.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }

    private func control(_ arguments: [String]) async throws -> Bool {
        try await run(arguments).exitCode == 0
    }

    private func run(_ arguments: [String]) async throws -> Program.Result {
        let scheme = certificates == nil ? "http" : "https"
        var all = [
            "etcdctl", "--dial-timeout", "1s", "--command-timeout", "5s", "--endpoints",
            "\(scheme)://127.0.0.1:\(port)",
        ]
        if let certificates {
            all += [
                "--cacert", certificates.path("ca.pem"), "--cert", certificates.path("client.pem"),
                "--key", certificates.path("client.key"),
            ]
        }
        return try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
            all + arguments, environment: ["ETCDCTL_API": "3"])
    }

    /// Turns authentication on, with a user `pushauth` whose role may use one tenant's keys.
    func enableAuthentication(for tenant: String) async throws {
        for command in Self.authentication(for: tenant) {
            try #require(try await control(command), "\(command)")
        }
    }

    /// What etcd's own client is told for that.
    static func authentication(for tenant: String) -> [[String]] {
        [
            ["user", "add", "root:root"], ["role", "add", "root"],
            ["user", "grant-role", "root", "root"], ["user", "add", "pushauth:s3cret word"],
            ["role", "add", "tenant"],
            [
                "role", "grant-permission", "tenant", "readwrite", "pa/1/\(tenant)/",
                "pa/1/\(tenant)0",
            ],
            ["user", "grant-role", "pushauth", "tenant"], ["auth", "enable"],
        ]
    }
}

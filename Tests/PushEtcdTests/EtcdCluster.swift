import ExternalTool
import Foundation
import HTTPTypes
import PushCore
import PushEtcd
import PushPlatform

#if canImport(Glibc)
import Glibc
#endif

/// Real etcd members on this machine, with their data in a folder that goes with the test. Each is a
/// process of its own, and is ended by its number.
final class EtcdCluster: Sendable {
    struct Options: Sendable {
        var members = 1
        /// TLS, with client certificates that must come from the same authority.
        var tls: TLSFiles?
        var quota: Int?
        /// Takes a member's arguments, and makes what is run of them, such as in a network of its own.
        var command: @Sendable (_ member: Int, _ arguments: [String]) -> [String] = { $1 }
        /// Where a member is; its own addresses on loopback if `nil`.
        var hosts: [String]?
    }

    let folder: TemporaryFolder
    let urls: [String]
    private let options: Options
    private let peers: [String]
    private let server: (certificate: String, key: String)?
    private let processes: Locked<[ServerProcess?]>

    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/etcd")

    init(_ options: Options = Options()) async throws {
        self.options = options
        folder = try TemporaryFolder("etcd")
        let count = options.members
        let ports = ServerProcess.freePorts(2 * count)
        let hosts = options.hosts ?? Array(repeating: "127.0.0.1", count: count)
        server = try options.tls?.certificate(
            "etcd", subject: "/O=etcd", hosts: ["IP:127.0.0.1"])
        let scheme = options.tls == nil ? "http" : "https"
        urls = (0..<count).map { "\(scheme)://\(hosts[$0]):\(ports[$0])" }
        peers = (0..<count).map { "http://\(hosts[$0]):\(ports[count + $0])" }
        processes = Locked(Array(repeating: nil, count: count))
        for member in 0..<count { try start(member) }
        try await waitUntilReady()
    }

    deinit {
        for process in processes.withLock({ $0 }) { process?.end() }
    }

    // MARK: Members

    /// Starts a member, again on its data if it was killed.
    func start(_ member: Int) throws {
        let cluster = peers.enumerated().map { "m\($0)=\($1)" }.joined(separator: ",")
        var arguments = [
            "etcd", "--name", "m\(member)", "--data-dir", folder.path("m\(member)"),
            "--listen-client-urls", urls[member], "--advertise-client-urls", urls[member],
            "--listen-peer-urls", peers[member], "--initial-advertise-peer-urls", peers[member],
            "--initial-cluster", cluster, "--log-level", "error",
        ]
        if let quota = options.quota { arguments += ["--quota-backend-bytes", "\(quota)"] }
        if let tls = options.tls, let server {
            arguments += [
                "--cert-file", server.certificate, "--key-file", server.key, "--trusted-ca-file",
                tls.authority, "--client-cert-auth",
            ]
        }
        let log = URL(fileURLWithPath: folder.path("m\(member).log"))
        let process = try ServerProcess(options.command(member, arguments), log: log)
        processes.withLock { $0[member] = process }
    }

    func send(_ signal: Int32, to member: Int) {
        processes.withLock { $0[member] }?.send(signal)
    }

    /// Kills a member, and waits until it is gone.
    func kill(_ member: Int) {
        processes.withLock { $0[member] }?.end(SIGKILL)
    }

    /// The member that leads, as the members say; `nil` if none says so.
    func leader() async -> Int? {
        for member in urls.indices {
            guard let status = try? await status(of: member),
                let leader = status["leader"]?.string,
                leader == status["header"]?["member_id"]?.string
            else { continue }
            return member
        }
        return nil
    }

    func someLeader() async throws -> Int {
        for _ in 0..<100 {
            if let leader = await leader() { return leader }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw PushError(.storage, "No member leads.")
    }

    private func waitUntilReady() async throws {
        for _ in 0..<200 {
            if await leader() != nil, etcdctl("get", "x") != nil { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        let logs = processes.withLock { $0.map { $0?.output ?? "" } }
        throw PushError(.storage, "etcd doesn't start: \(logs)")
    }

    // MARK: Asking

    private func transport() -> CurlTransport {
        CurlTransport(configuration())
    }

    /// What a store's transport needs to reach the members.
    func configuration() -> CurlTransport.Configuration {
        guard let tls = options.tls else { return .etcd(plainHTTP: .allowed) }
        return .etcd(
            certificateAuthorities: .file(tls.authority),
            clientCertificate: client.map { .files(certificate: $0.certificate, key: $0.key) })
    }

    /// A client's certificate without a CommonName.
    private var client: (certificate: String, key: String)? {
        guard let tls = options.tls else { return nil }
        let files = (tls.folder.path("client.pem"), tls.folder.path("client.key"))
        if FileManager.default.fileExists(atPath: files.0) { return files }
        return try? tls.certificate("client", subject: "/O=acme")
    }

    /// A store over the members.
    func store(
        _ tenant: String = "acme", login: EtcdStore.Login? = nil,
        over wrap: (any Transport) -> any Transport = { $0 }
    ) throws(PushError) -> EtcdStore {
        try EtcdStore(
            EtcdStore.Configuration(members: urls, tenant: tenant, login: login),
            transport: wrap(transport()))
    }

    private func status(of member: Int) async throws -> JSON {
        var configuration = configuration()
        configuration.timeout = .seconds(1)
        configuration.connectTimeout = .milliseconds(500)
        let parts = urls[member].split(separator: "/")
        let request = HTTPRequest(
            method: .post, scheme: String(parts[0].dropLast()), authority: String(parts[1]),
            path: "/v3/maintenance/status")
        let (_, body) = try await CurlTransport(configuration).send(request, body: Data("{}".utf8))
        return try JSON(parsing: body)
    }

    /// Runs etcd's own client; `nil` if it fails.
    @discardableResult
    func etcdctl(_ arguments: String..., user: String? = nil) -> String? {
        etcdctl(arguments: arguments, user: user)
    }

    /// Turns authentication on, with a user `pushauth` whose role may use one tenant's keys.
    func enableAuthentication(for tenant: String) throws {
        let commands = [
            ["user", "add", "root:root"], ["role", "add", "root"],
            ["user", "grant-role", "root", "root"], ["user", "add", "pushauth:secret"],
            ["role", "add", "tenant"],
            [
                "role", "grant-permission", "tenant", "readwrite", "pa/1/\(tenant)/",
                "pa/1/\(tenant)0",
            ],
            ["user", "grant-role", "pushauth", "tenant"], ["auth", "enable"],
        ]
        for command in commands where etcdctl(arguments: command) == nil {
            throw PushError(.storage, "etcdctl \(command) failed.")
        }
    }

    private func etcdctl(arguments: [String], user: String? = nil) -> String? {
        var all = ["ETCDCTL_API=3", "etcdctl", "--endpoints", urls.joined(separator: ",")]
        if let user { all += ["--user", user] }
        if let tls = options.tls, let client {
            all += ["--cacert", tls.authority, "--cert", client.certificate, "--key", client.key]
        }
        return ExternalTool(name: "env").run(all + arguments)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

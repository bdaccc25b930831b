import ExternalTool
import Foundation
import PushCore
import PushEtcd
import PushPlatform
import PushSealing
import PushTesting
import Testing

/// What is set up wrong, and what the error says to do.
@Suite(.enabled(if: EtcdCluster.isInstalled, "etcd-server isn't installed"), .serialized)
struct EtcdSetupTests {
    private let key = RecordKey("row", "a")

    private func error(
        of store: EtcdStore, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = try await refusal { try await store.read(key) }
        #expect(error.code == .storage, sourceLocation: sourceLocation)
        #expect(error.reason.contains(words), "\(error.reason)", sourceLocation: sourceLocation)
    }

    private func store(
        _ members: [String], _ configuration: CurlTransport.Configuration,
        login: EtcdStore.Login? = nil
    ) throws -> EtcdStore {
        try EtcdStore(
            .init(members: members, tenant: "acme", login: login, patience: .seconds(2)),
            transport: CurlTransport(configuration))
    }

    @Test func `users and roles`() async throws {
        let cluster = try await EtcdCluster()
        let login = { (password: String) in
            EtcdStore.Login(user: "pushauth", password: Secret(Array(password.utf8)))
        }
        try await error(of: try cluster.store(login: login("secret")), "give the store no user")
        try cluster.enableAuthentication(for: "acme")
        try await error(of: try cluster.store(), "give the store a user and a password")
        try await error(of: try cluster.store(login: login("wrong")), "check both")
        try await error(of: try cluster.store("bank", login: login("secret")), "pa/1/bank/")
        #expect(try await cluster.store(login: login("secret")).read(key) == nil)
    }

    @Test func `certificates`() async throws {
        var options = EtcdCluster.Options()
        let tls = try TLSFiles()
        options.tls = tls
        let cluster = try await EtcdCluster(options)
        let strange = try TLSFiles()
        let ours = cluster.configuration()
        try await error(
            of: try store(
                cluster.urls, .etcd(certificateAuthorities: .file(strange.authority))),
            "give the transport etcd's authority")
        var without = ours
        without.clientCertificate = nil
        try await error(of: try store(cluster.urls, without), "want client certificates")
        let plain = cluster.urls.map { $0.replacing("https", with: "http") }
        try await error(of: try store(plain, ours), "plain HTTP")
        try await error(of: try store(plain, .etcd(plainHTTP: .allowed)), "https or http")
        try cluster.enableAuthentication(for: "acme")
        let named = try tls.certificate("named", subject: "/O=acme/CN=named")
        let login = EtcdStore.Login(user: "pushauth", password: Secret(Array("secret".utf8)))
        try await error(
            of: try store(
                cluster.urls,
                .etcd(
                    certificateAuthorities: .file(tls.authority),
                    clientCertificate: .files(certificate: named.certificate, key: named.key)),
                login: login), "CommonName: make one without")
    }

    @Test func `addresses`() async throws {
        let cluster = try await EtcdCluster()
        let deaf = "http://127.0.0.1:\(try LoopbackServer.deafPort())"
        let plain = CurlTransport.Configuration.etcd(plainHTTP: .loopbackOnly)
        try await error(of: try store([deaf], plain), "more than half must run")
        let web = try LoopbackServer { connection in
            while connection.readRequest() != nil { connection.reply(404, body: "Not Found") }
        }
        try await error(of: try store(["http://\(web.authority)"], plain), "no JSON gateway")
        // One that is wrong among others costs nothing but time.
        let some = try store([deaf] + cluster.urls, plain)
        for _ in 0..<4 { #expect(try await some.read(key) == nil) }
    }

    @Test func `a database that is full, and one that was compacted`() async throws {
        var options = EtcdCluster.Options()
        options.quota = 3 << 20
        let cluster = try await EtcdCluster(options)
        let store = try cluster.store()
        let large = Secret([UInt8](repeating: 1, count: 700_000))
        var revision = try await store.write(Secret([1]), for: key, replacing: nil)
        var full: PushError?
        for index in 0..<10 where full == nil {
            do throws(PushError) {
                try await store.write(large, for: RecordKey("large", "\(index)"), replacing: nil)
            } catch { full = error }
        }
        #expect(full?.code == .storage)
        #expect(full?.reason.contains("--quota-backend-bytes") == true)
        // Reading goes on, and so does deleting.
        #expect(try await store.read(key)?.revision == revision)
        try await store.write(nil, for: key, replacing: revision)
        for name in try await store.names(in: "large") {
            let key = RecordKey("large", name)
            try await store.write(nil, for: key, replacing: try await store.read(key)?.revision)
        }
        let newest = try await store.read(all: [key]).count
        #expect(newest == 1)
        let status = try #require(cluster.etcdctl("endpoint", "status", "-w", "json"))
        let number = try JSON(parsing: Data(status.utf8)).array?.first?["Status"]?["header"]?[
            "revision"]?.integer
        #expect(cluster.etcdctl("compact", "\(number ?? 0)") != nil)
        #expect(cluster.etcdctl("defrag") != nil)
        #expect(cluster.etcdctl("alarm", "disarm") != nil)
        // What was compacted is read and written as ever.
        revision = try await store.write(Secret([1]), for: key, replacing: nil)
        #expect(try await store.write(Secret([2]), for: key, replacing: revision) != nil)
        let tooLarge = Secret([UInt8](repeating: 1, count: 1_600_000))
        let error = try await refusal {
            try await store.write(tooLarge, for: RecordKey("large", "x"), replacing: nil)
        }
        #expect(error.code == .invalidArgument)
    }

    @Test func `a store of another key or tenant never looks empty`() async throws {
        let cluster = try await EtcdCluster()
        let keys = [1, 2].map { (byte: UInt8) in
            KeySource { () async throws(PushError) in Secret(Array(repeating: byte, count: 32)) }
        }
        let etcd = try cluster.store()
        let store = try await SealedStore(etcd, key: keys[0], tenant: "acme")
        try await store.write(Secret([1]), for: key, replacing: nil)
        let wrong = try await refusal {
            try await SealedStore(etcd, key: keys[1], tenant: "acme")
        }
        #expect(wrong.code == .storage && wrong.reason.contains("Open it with that key"))
        let tenant = try await refusal {
            try await SealedStore(etcd, key: keys[0], tenant: "bank")
        }
        #expect(tenant.code == .storage && tenant.reason.contains("tenant"))
    }
}

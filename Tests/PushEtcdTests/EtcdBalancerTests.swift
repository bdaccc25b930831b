import ExternalTool
import Foundation
import PushCore
import PushEtcd
import PushPlatform
import PushTesting
import Testing

/// A real haproxy before etcd, which answers in its own words when it reaches no member.
@Suite(
    .enabled(if: EtcdCluster.isInstalled, "etcd-server isn't installed"),
    .enabled(if: BalancerBeforeEtcd.isInstalled, "haproxy isn't installed"), .serialized,
    .timeLimit(.minutes(2)))
struct EtcdBalancerTests {
    @Test func `a balancer's page is told from etcd, and the store goes on once etcd is back`()
        async throws
    {
        let cluster = try await EtcdCluster()
        let balancer = try BalancerBeforeEtcd(to: cluster.urls[0])
        let store = try EtcdStore(
            EtcdStore.Configuration(
                members: [balancer.url], tenant: "acme", patience: .seconds(4)),
            transport: CurlTransport(cluster.configuration()))
        let key = RecordKey("list", "a")
        try await balancer.reached(by: store)
        let revision = try await store.write(Secret("one".utf8), for: key, replacing: nil)

        cluster.kill(0)
        let reading = try #require(await failure { _ = try await store.read(key) })
        #expect(reading.code == .storage)
        let writing = try #require(
            await failure {
                try await store.write(Secret("two".utf8), for: key, replacing: revision)
            })
        // Nobody knows on which side of etcd the balancer lost it.
        #expect(writing.code == .storageUnknown)
        for error in [reading, writing] {
            let place = balancer.url.dropFirst("http://".count)
            #expect(
                error.reason.contains("\(place) replied with 503, and not as etcd does"),
                "\(error.reason)")
        }

        try cluster.start(0)
        try await balancer.reached(by: store)
        let found = try #require(try await store.read(key))
        #expect(found.value.copiedText() == "one" && found.revision == revision)
        try await store.write(Secret("two".utf8), for: key, replacing: revision)
        #expect(try await store.read(key)?.value.copiedText() == "two")
    }

    private func failure(_ body: () async throws -> Void) async -> PushError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? PushError
        }
    }
}

/// haproxy, which passes HTTP on to one member.
private final class BalancerBeforeEtcd: Sendable {
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/haproxy")

    let url: String
    private let folder: TemporaryFolder
    private let process: ServerProcess

    init(to member: String) throws {
        folder = try TemporaryFolder("haproxy")
        let port = ServerProcess.freePorts(1)[0]
        url = "http://127.0.0.1:\(port)"
        let configuration = """
            defaults
                mode http
                retries 1
                timeout connect 1s
                timeout client 10s
                timeout server 10s
            frontend etcd
                bind 127.0.0.1:\(port)
                default_backend members
            backend members
                option httpchk GET /health
                default-server check inter 100ms fall 1 rise 1
                server one \(member.dropFirst("http://".count))

            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder.path("haproxy.cfg")))
        process = try ServerProcess(
            ["/usr/sbin/haproxy", "-db", "-q", "-f", folder.path("haproxy.cfg")],
            log: URL(fileURLWithPath: folder.path("log")))
    }

    deinit { process.end() }

    /// Waits until a store reads through it.
    func reached(by store: EtcdStore) async throws {
        let start = ContinuousClock.now
        while true {
            do throws(PushError) {
                _ = try await store.read(RecordKey("list", "none"))
                return
            } catch {
                guard process.isRunning, start.duration(to: .now) < .seconds(60) else {
                    throw PushError(.storage, "\(error.reason) haproxy: \(process.output)")
                }
            }
        }
    }
}

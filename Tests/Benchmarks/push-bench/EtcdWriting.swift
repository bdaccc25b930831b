import Foundation
import HTTPTypes
import Harness
import PushCore
import PushEtcd
import PushPlatform
import PushSealing

/// What a compare-and-set costs through the store, beside the same transaction as the transport alone
/// sends it: with one writer, and with eight at once.
func writingToEtcd() async throws -> [Comparison] {
    guard let etcd = try await EtcdProcess() else {
        print("EtcdStore: not measured, as there is no /usr/bin/etcd\n")
        return []
    }
    let key = Secret([UInt8](repeating: 7, count: 32))
    var comparisons: [Comparison] = []
    for count in [1, 8] {
        let bare = (0..<count).map { BareWriter(etcd, $0) }
        let plain = try (0..<count).map { RecordWriter(try etcd.store("plain"), $0) }
        let sealing = try await SealedStore(
            try etcd.store("sealed"), key: KeySource { () async throws(PushError) in key },
            tenant: "sealed")
        let sealed = (0..<count).map { RecordWriter(sealing, $0) }
        let name = count == 1 ? "one writer" : "\(count) writers at once"
        var comparison = Comparison("EtcdStore: replace a record, \(name)")
        comparison.add("the transaction alone") {
            try await atOnce(bare.map { writer in { try await writer.write() } })
        }
        comparison.add("EtcdStore.write") {
            try await atOnce(plain.map { writer in { try await writer.write() } })
        }
        comparison.add("SealedStore.write over it") {
            try await atOnce(sealed.map { writer in { try await writer.write() } })
        }
        comparisons.append(comparison)
    }
    return comparisons
}

func atOnce(_ writes: [@Sendable () async throws -> Void]) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for write in writes { group.addTask { try await write() } }
        try await group.waitForAll()
    }
}

let documentBytes = randomDocument()

/// Replaces one record of a store again and again.
actor RecordWriter {
    private let store: any CredentialStore
    private let key: RecordKey
    private var revision: Revision?

    init(_ store: any CredentialStore, _ number: Int) {
        self.store = store
        key = RecordKey("enrollment", "\(UUID()) \(number)")
    }

    func write(_ value: Secret = Secret(documentBytes)) async throws {
        revision = try await store.write(value, for: key, replacing: revision)
    }
}

/// Sends what a store would, and reads of the reply no more than it must.
private actor BareWriter {
    private let etcd: EtcdProcess
    private let transport: CurlTransport
    private let key: String
    private let value = Data(documentBytes).base64EncodedString()
    private var revision = "0"

    init(_ etcd: EtcdProcess, _ number: Int) {
        self.etcd = etcd
        transport = etcd.transport
        key = Data("bare \(UUID()) \(number)".utf8).base64EncodedString()
    }

    func write() async throws {
        let body = """
            {"compare":[{"target":"MOD","result":"EQUAL","key":"\(key)",\
            "mod_revision":"\(revision)"}],"success":[{"request_put":{"key":"\(key)",\
            "value":"\(value)"}}],"failure":[{"request_range":{"key":"\(key)"}}]}
            """
        let request = HTTPRequest(
            method: .post, scheme: "http", authority: etcd.authority, path: "/v3/kv/txn",
            headerFields: [.contentType: "application/json"])
        let (_, reply) = try await transport.send(request, body: Data(body.utf8))
        let text = String(decoding: reply, as: UTF8.self)
        guard text.contains("\"succeeded\":true"),
            let number = text.split(separator: "\"revision\":\"").dropFirst().first?
                .split(separator: "\"").first
        else { throw PushError(.conflict, text) }
        revision = String(number)
    }
}

/// One member of etcd, on loopback, with its data in a folder that goes with it.
final class EtcdProcess: Sendable {
    let authority: String
    let transport = CurlTransport(.etcd(plainHTTP: .loopbackOnly))
    private let folder: URL
    private let id: Int32

    init?() async throws {
        let path = "/usr/bin/etcd"
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        let port = Int.random(in: 12_000..<31_000)
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("push-bench-etcd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let client = "http://127.0.0.1:\(port)"
        let peer = "http://127.0.0.1:\(port + 1)"
        authority = "127.0.0.1:\(port)"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = [
            "--data-dir", folder.path, "--listen-client-urls", client, "--advertise-client-urls",
            client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", "default=\(peer)", "--log-level", "error",
            "--quota-backend-bytes", "8589934592", "--auto-compaction-mode", "revision",
            "--auto-compaction-retention", "1000",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        id = process.processIdentifier
        _ = try await store("start").read(RecordKey("enrollment", "a"))
    }

    deinit {
        kill(id, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    func store(_ tenant: String) throws -> EtcdStore {
        try EtcdStore(
            .init(members: ["http://\(authority)"], tenant: tenant), transport: transport)
    }
}

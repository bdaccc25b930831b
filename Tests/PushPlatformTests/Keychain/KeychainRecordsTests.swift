import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushPlatform

/// The store of the keychain, on a fake of the Security functions.
struct KeychainRecordsTests {
    private let keychain = FakeKeychain()
    private let key = RecordKey("claim/acme", "ada")

    private var store: KeychainRecords {
        KeychainRecords(calls: keychain, accessGroup: "group", service: "push-auth")
    }

    @Test func `it keeps the store's promises`() async {
        #expect(await CredentialStoreConformance(store).check() == [])
    }

    @Test func `a locked keychain is no empty one`() async throws {
        let store = store
        try await store.write(Secret([1]), for: key, replacing: nil)
        keychain.lock()
        for call: () async throws -> Void in [
            { _ = try await store.read(key) }, { _ = try await store.names(in: key.collection) },
            { try await store.write(Secret([2]), for: key, replacing: nil) },
            { try await store.discard(key) },
            { _ = try store.beginAfresh(marker: URL(fileURLWithPath: "/nonexistent/marker")) },
        ] {
            do {
                try await call()
                Issue.record("it passes for empty")
            } catch let error as PushError {
                #expect(error.code == .storage)
                #expect(
                    error.reason.contains("the device is locked, or wasn't unlocked since start"))
            }
        }
        keychain.lock(false)
        #expect(try await store.read(key)?.value.count == 1)
    }

    @Test func `an item that is missing for a moment is looked for again`() async throws {
        try await store.write(Secret([1]), for: key, replacing: nil)
        keychain.miss(1)
        #expect(try await store.read(key) != nil)
    }

    @Test func `a damaged item is told from none, and from another writer's`() async throws {
        let revision = try await store.write(Secret([1]), for: key, replacing: nil)
        keychain.change("ada") { $0.mark = [1, 2] }
        await #expect(throws: PushError.self) { try await store.read(key) }
        await #expect(throws: PushError.self) {
            try await store.write(Secret([2]), for: key, replacing: revision)
        }
        try await store.discard(key)
        #expect(try await store.read(key) == nil)
    }

    // MARK: Beginning afresh

    @Test func `what an earlier installation left goes once, and nothing else`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let marker = folder.appending(path: "Application Support/installed")
        try await store.write(Secret([1]), for: key, replacing: nil)
        try await store.write(Secret([1]), for: RecordKey("claim/äcme", "ada"), replacing: nil)
        keychain.put(KeychainItem(service: "push-authority/x", account: "theirs"), in: "group")
        keychain.put(KeychainItem(service: "push-auth/claim", account: "theirs"), in: "other")
        #expect(try store.beginAfresh(marker: marker))
        #expect(keychain.passwords.map(\.item.account) == ["theirs", "theirs"])
        try await store.write(Secret([1]), for: key, replacing: nil)
        #expect(try !store.beginAfresh(marker: marker))
        #expect(try await store.read(key) != nil)
    }

    @Test func `a keychain that was locked then is emptied by the next start`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let marker = folder.appending(path: "installed")
        try await store.write(Secret([1]), for: key, replacing: nil)
        keychain.lock()
        #expect(throws: PushError.self) { try store.beginAfresh(marker: marker) }
        keychain.lock(false)
        #expect(try store.beginAfresh(marker: marker))
        #expect(keychain.passwords.isEmpty)
    }

    // MARK: What it costs

    /// An authenticator of Acme over the keychain.
    private func authenticator() throws -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: SimulatedTransport { _, body in
                (.init(status: 200), body)
            }, store: store, verifier: ScriptedVerifier.willing(), device: Device(name: "phone"))
        var configuration = PushConfiguration()
        configuration.asksAfterPush = false
        return PushAuthenticator(
            try PluginRegistry([Acme(in: environment)]), in: environment,
            configuration: configuration)
    }

    /// An enrollment, as its provider keeps it.
    private func enroll(_ account: String) async throws {
        let environment = PushEnvironment(
            transport: SimulatedTransport { _, body in (.init(status: 200), body) }, store: store,
            verifier: ScriptedVerifier.willing(), device: Device(name: "phone"))
        try await environment.accounts(for: "acme").create(
            Enrollment(
                id: Enrollment.ID(account, of: "acme"), issuer: "Acme", host: "acme.example",
                state: .active, created: Date()),
            Secret.Record(fields: [:], secrets: [Secret(copying: AcmeWire.key(of: account))]))
    }

    @Test func `a receive and a start cost so many calls`() async throws {
        try await enroll("ada")
        let app = try authenticator()
        _ = keychain.count()
        _ = try await app.receive(try AcmeWire.ask("1"))
        #expect(keychain.count() == .init(copies: 1, updates: 1))
        _ = try await app.receive(try AcmeWire.ask("1"))
        #expect(keychain.count() == .init(copies: 1))
        for number in 0..<49 { try await enroll("user\(number)") }
        _ = keychain.count()
        let started = try authenticator()
        try await started.resume()
        #expect(keychain.count() == .init(copies: 106))
    }
}

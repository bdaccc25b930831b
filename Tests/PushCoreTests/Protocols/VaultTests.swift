import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

struct VaultTests {
    private let harness = AuthenticatorHarness()
    private var vault: Vault { harness.environment.vault(for: "acme") }

    private func credential(_ name: String, _ date: Date = morning) -> Credential {
        Credential(
            Enrollment(id: .init(name, of: "acme"), state: .active, created: date),
            secret: secret("s-\(name)"))
    }

    @Test func `a credential is made once, read, changed and deleted`() async throws {
        try await vault.create(credential("ada"))
        #expect(await code { try await vault.create(credential("ada")) } == .conflict)
        let result = try await vault.update(.ada) { credential in
            credential.secret = secret("new")
            credential.enrollment.issuer = "Acme"
            return 7
        }
        #expect(result == 7)
        let read = try await vault.existing(.ada)
        #expect(read.enrollment.issuer == "Acme")
        #expect(read.secret.isEqualInConstantTime(to: secret("new")))
        try await vault.delete(.ada)
        try await vault.delete(.ada)
        #expect(try await vault.credential(.ada) == nil)
        #expect(await code { try await vault.existing(.ada) } == .unknownEnrollment)
        #expect(await code { try await vault.update(.ada) { _ in } } == .unknownEnrollment)
    }

    @Test func `a change that leaves a credential as it was writes nothing`() async throws {
        try await vault.create(credential("ada"))
        let key = RecordKey("credential/acme", "ada")
        let store = harness.environment.store
        let made = try #require(try await store.read(key)).revision
        let result = try await vault.update(.ada) { credential in
            credential.enrollment.state = .active
            return 7
        }
        #expect(result == 7)
        #expect(try #require(try await store.read(key)).revision == made)
        try await vault.update(.ada) { $0.enrollment.issuer = "Acme" }
        #expect(try #require(try await store.read(key)).revision != made)
    }

    @Test func `a provider sees and touches no other provider's credentials`() async throws {
        try await vault.create(credential("ada"))
        let other = harness.environment.vault(for: "acme/b")
        #expect(try await other.credential(.ada) == nil)
        #expect(try await other.enrollments().isEmpty)
        #expect(await code { try await other.create(credential("ada")) } == .invalidArgument)
        try await other.delete(.ada)
        #expect(try await vault.credential(.ada) != nil)
    }

    @Test func `enrollments come oldest first`() async throws {
        try await vault.create(credential("b", morning + 1))
        try await vault.create(credential("c", morning))
        try await vault.create(credential("a", morning + 1))
        #expect(try await vault.enrollments().map(\.id.name) == ["c", "a", "b"])
    }

    @Test func `changes by many writers are all kept`() async throws {
        try await vault.create(credential("ada"))
        let vault = vault
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    _ = try? await vault.update(.ada) { credential in
                        let count = credential.secret.count
                        credential.secret = Secret(Array(repeating: 0, count: count + 1))
                    }
                }
            }
        }
        #expect(try await vault.existing(.ada).secret.count == "s-ada".count + 50)
    }

    @Test func `a change that gives up writes nothing`() async throws {
        try await vault.create(credential("ada"))
        let thrown = await code {
            try await vault.update(.ada) { (credential) throws(PushError) in
                credential.enrollment.issuer = "Changed"
                throw PushError(.blocked, "No.")
            }
        }
        #expect(thrown == .blocked)
        #expect(try await vault.existing(.ada).enrollment.issuer == nil)
    }

    @Test func `a damaged credential is named, hides no other, and can be deleted`() async throws {
        try await vault.create(credential("ada"))
        try await harness.damage("credential/acme")
        try await vault.create(credential("bob"))
        #expect(await code { try await vault.credential(.ada) } == .malformed)
        #expect(try await vault.enrollments().map(\.id) == [.bob])
        try await vault.delete(.ada)
        #expect(try await vault.credential(.ada) == nil)
    }

    @Test func `a damaged credential that another process made new meanwhile is deleted, too`()
        async throws
    {
        let contested = ContestedStore(harness.store)
        let vault = AuthenticatorHarness(store: contested).environment.vault(for: "acme")
        try await vault.create(credential("ada"))
        let key = RecordKey("credential/acme", "ada")
        let sealed = try #require(try await harness.store.read(key)).value
        await harness.store.damage(key)
        await contested.interruptDiscarding { store in
            try? await store.discard(key)
            _ = try? await store.write(sealed, for: key, replacing: nil)
        }
        try await vault.delete(.ada)
        #expect(try await vault.credential(.ada) == nil)
        #expect(await contested.remaining == 0)
    }

    @Test func `a credential without its secret half is damaged`() async throws {
        let whole = credential("ada")
        try await vault.create(whole)
        let key = RecordKey("credential/acme", "ada")
        let (value, revision) = try #require(try await harness.store.read(key))
        let stripped = SecretRecord(fields: try SecretRecord(reading: value).fields)
        try await harness.store.write(stripped.sealed, for: key, replacing: revision)
        #expect(await code { try await vault.credential(.ada) } == .malformed)
    }

    @Test func `a store that fails is not taken for an empty one`() async throws {
        struct Broken: CredentialStore {
            let error = PushError(.storage, "Locked.")
            func read(_: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)?
            {
                throw error
            }
            func write(
                _: Secret?, for: RecordKey, replacing: Revision?, waits: Bool
            ) async throws(PushError) -> Revision? {
                throw error
            }
            func discard(_: RecordKey) async throws(PushError) { throw error }
            func names(
                in: String, waiting: Bool, after: String?, limit: Int
            ) async throws(PushError) -> NamePage {
                throw error
            }
        }
        let harness = AuthenticatorHarness(store: Broken())
        let authenticator = try harness.authenticator()
        #expect(await code { try await authenticator.enrollments() } == .storage)
        #expect(await code { try await authenticator.receive(try AcmeWire.ask("1")) } == .storage)
        #expect(await code { try await authenticator.deny(.ada("1")) } == .storage)
        #expect(await code { try await authenticator.resume() } == .storage)
        #expect(await code { try await authenticator.deviceTokenRemoved(of: .fcm) } == .storage)
        #expect(await harness.transport.exchanges.isEmpty)
    }
}

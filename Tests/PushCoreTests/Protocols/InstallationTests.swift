import Foundation
import PushCore
import PushTesting
import Testing

struct InstallationTests {
    private let harness = AuthenticatorHarness()

    private func secret(
        of provider: ProviderID = "acme", in environment: PushEnvironment? = nil
    ) async throws -> Secret {
        let environment = environment ?? harness.environment
        return try await environment.accounts(for: provider)
            .installationSecret(from: environment.random)
    }

    @Test func `an installation's secret is drawn once`() async throws {
        let first = try await secret()
        #expect(first.count == 32)
        #expect(try await secret().isEqualInConstantTime(to: first))
    }

    @Test func `every provider has its own`() async throws {
        #expect(try await !secret(of: "acme/b").isEqualInConstantTime(to: secret()))
    }

    @Test func `processes that ask at once get the same`() async throws {
        let other = AuthenticatorHarness(store: harness.store)
        async let one = secret()
        async let two = secret(in: other.environment)
        #expect(try await one.isEqualInConstantTime(to: two))
    }

    @Test func `it outlives every enrollment`() async throws {
        let first = try await secret()
        let authenticator = try harness.authenticator()
        let enrollment = try await authenticator.join("ada")
        try await authenticator.remove(enrollment.id)
        #expect(try await secret().isEqualInConstantTime(to: first))
    }

    @Test func `one that is damaged is drawn again`() async throws {
        let first = try await secret()
        await harness.store.damage(RecordKey("installation", "acme"))
        let second = try await secret()
        #expect(!second.isEqualInConstantTime(to: first))
        #expect(try await secret().isEqualInConstantTime(to: second))
    }

    @Test(arguments: [0, 1, 31, 33])
    func `one of another length is drawn again`(length: Int) async throws {
        let key = RecordKey("installation", "acme")
        try await harness.store.write(
            Secret([UInt8](repeating: 7, count: length)), for: key, replacing: nil)
        let first = try await secret()
        #expect(first.count == 32)
        #expect(try await secret().isEqualInConstantTime(to: first))
    }

    @Test func `of two processes that find it damaged the first draws it again`() async throws {
        let contested = ContestedStore(harness.store)
        let key = RecordKey("installation", "acme")
        await harness.store.damage(key)
        let healed = Secret([UInt8](repeating: 9, count: 32))
        await contested.interruptDiscarding { store in
            try? await store.discard(key)
            _ = try? await store.write(healed, for: key, replacing: nil)
        }
        let other = AuthenticatorHarness(store: contested)
        #expect(try await secret(in: other.environment).isEqualInConstantTime(to: healed))
        #expect(await contested.remaining == 0)
    }

    @Test func `a store that is locked isn't taken for an empty one`() async throws {
        let first = try await secret()
        let locked = PushError(.storage, "Locked.")
        await harness.store.refuseWrites { _ in locked }
        #expect(try await secret().isEqualInConstantTime(to: first))
        let error = await #expect(throws: PushError.self) { _ = try await secret(of: "new") }
        #expect(error?.code == .storage)
    }
}

import Foundation
import PushCore
import PushTesting
import Testing

/// Whom a message that names nobody may be about, and what it costs to tell.
struct ListedEnrollmentsTests {
    private let clock = ManualClock(morning)
    private let listed = ListedEnrollments { $0.state == .active }
    private let faulty: FaultyStore
    private let store: CountingStore

    init() {
        faulty = FaultyStore(InMemoryStore())
        store = CountingStore(faulty)
    }

    private func vault(_ store: any CredentialStore) -> Vault {
        AuthenticatorHarness(store: store).environment.vault(for: "acme")
    }

    private func enroll(
        _ name: String, _ state: Enrollment.State = .active, in vault: Vault
    ) async throws {
        try await vault.create(
            Credential(
                Enrollment(id: .init(name, of: "acme"), state: state, created: morning),
                secret: secret("s")))
    }

    @Test func `two hundred who ask at once read the credentials once`() async throws {
        let gate = Gate()
        await faulty.hold(listingsAt: gate)
        let vault = vault(store)
        try await enroll("ada", in: vault)
        try await enroll("bob", .blocked("policy"), in: vault)
        let asking = Task {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<200 {
                    group.addTask { (try? await listed.ids(in: vault, clock)) == [.ada] }
                }
                return await group.allSatisfy { $0 }
            }
        }
        await gate.arrival()
        await gate.open()
        #expect(await asking.value)
        #expect(await store.listings == 1)
        // They aren't taken to be the same for long.
        clock.advance(by: .seconds(3))
        _ = try await listed.ids(in: vault, clock)
        #expect(await store.listings == 2)
    }

    @Test func `a list of all has the damaged ones, and opens none`() async throws {
        let (listed, vault) = (ListedEnrollments(), vault(store))
        try await enroll("ada", in: vault)
        try await enroll("bob", .blocked("policy"), in: vault)
        let reads = await store.reads
        #expect(try await listed.ids(in: vault, clock) == [.ada, .bob])
        #expect(try await listed.ids(in: vault, clock) == [.ada, .bob])
        #expect(await store.reads == reads)
        #expect(await store.listings == 1)
    }

    @Test func `what was read before a change isn't kept after it`() async throws {
        let gate = Gate()
        await faulty.hold(listingsAt: gate)
        let vault = vault(store)
        try await enroll("ada", in: vault)
        let early = Task { try await listed.ids(in: vault, clock) }
        await gate.arrival()
        try await enroll("bob", in: vault)
        await listed.forget()
        await gate.open()
        #expect(try await early.value == [.ada])
        #expect(try await listed.ids(in: vault, clock) == [.ada, .bob])
    }

    @Test func `a list that couldn't be read is read again`() async throws {
        let vault = vault(store)
        try await enroll("ada", in: vault)
        await faulty.lock()
        #expect(await code { try await listed.ids(in: vault, clock) } == .storage)
        await faulty.lock(false)
        #expect(try await listed.ids(in: vault, clock) == [.ada])
    }
}

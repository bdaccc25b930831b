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

    private func accounts(_ store: any CredentialStore) -> Accounts {
        AuthenticatorHarness(store: store).environment.accounts(for: "acme")
    }

    private func enroll(
        _ name: String, _ state: Enrollment.State = .active, in accounts: Accounts
    ) async throws {
        try await accounts.create(
            Enrollment(id: .init(name, of: "acme"), state: state, created: morning), secret("s"))
    }

    @Test func `two hundred who ask at once read the credentials once`() async throws {
        let gate = Gate()
        await faulty.hold(listingsAt: gate)
        let accounts = accounts(store)
        try await enroll("ada", in: accounts)
        try await enroll("bob", .blocked("policy"), in: accounts)
        let asking = Task {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<200 {
                    group.addTask { (try? await listed.ids(in: accounts, clock)) == [.ada] }
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
        _ = try await listed.ids(in: accounts, clock)
        #expect(await store.listings == 2)
    }

    @Test func `a list of all has the damaged ones, and opens none`() async throws {
        let (listed, accounts) = (ListedEnrollments(), accounts(store))
        try await enroll("ada", in: accounts)
        try await enroll("bob", .blocked("policy"), in: accounts)
        let reads = await store.reads
        #expect(try await listed.ids(in: accounts, clock) == [.ada, .bob])
        #expect(try await listed.ids(in: accounts, clock) == [.ada, .bob])
        #expect(await store.reads == reads)
        #expect(await store.listings == 1)
    }

    @Test func `what was read before a change isn't kept after it`() async throws {
        let gate = Gate()
        await faulty.hold(listingsAt: gate)
        let accounts = accounts(store)
        try await enroll("ada", in: accounts)
        let early = Task { try await listed.ids(in: accounts, clock) }
        await gate.arrival()
        try await enroll("bob", in: accounts)
        await listed.forget()
        await gate.open()
        #expect(try await early.value == [.ada])
        #expect(try await listed.ids(in: accounts, clock) == [.ada, .bob])
    }

    @Test func `a list that couldn't be read is read again`() async throws {
        let accounts = accounts(store)
        try await enroll("ada", in: accounts)
        await faulty.lock()
        #expect(await code { try await listed.ids(in: accounts, clock) } == .storage)
        await faulty.lock(false)
        #expect(try await listed.ids(in: accounts, clock) == [.ada])
    }
}

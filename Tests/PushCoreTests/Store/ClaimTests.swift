import Foundation
import PushTesting
import Testing

@testable import PushCore

/// What only one enrollment may have.
struct ClaimTests {
    private let store = InMemoryStore()

    private var accounts: Accounts { accounts(of: "acme") }

    private func accounts(
        of provider: ProviderID, in store: (any CredentialStore)? = nil
    ) -> Accounts {
        Accounts(Documents(store ?? self.store, SystemRandom()), of: provider)
    }

    private func enroll(
        _ name: String, claiming unique: String? = nil, in accounts: Accounts? = nil
    ) async throws(PushError) {
        try await (accounts ?? self.accounts).create(
            Enrollment(id: .init(name, of: "acme"), state: .active, created: morning),
            secret("key"), claiming: unique)
    }

    @Test func `what is claimed can be enrolled once, until it's removed`() async throws {
        try await enroll("e1", claiming: "ada")
        #expect(await code { try await enroll("e2", claiming: "ada") } == .alreadyEnrolled)
        #expect(try await accounts.holder(of: "ada")?.id.name == "e1")
        try await enroll("e3", claiming: "bob")
        try await accounts.delete(Enrollment.ID("e1", of: "acme"))
        #expect(try await accounts.holder(of: "ada") == nil)
        try await enroll("e2", claiming: "ada")
        #expect(try await accounts.enrollments().map(\.id.name).sorted() == ["e2", "e3"])
        #expect(try await store.names(in: "claim/acme").count == 2)
    }

    @Test func `one provider's claim is no other's`() async throws {
        try await enroll("e1", claiming: "ada")
        #expect(try await accounts(of: "acme/b").holder(of: "ada") == nil)
    }

    @Test func `a change keeps the claim`() async throws {
        try await enroll("e1", claiming: "ada")
        let id = Enrollment.ID("e1", of: "acme")
        try await accounts.existing(id).changeEnrollment { $0.issuer = "Acme" }
        try await accounts.delete(id)
        #expect(try await store.names(in: "claim/acme").isEmpty)
    }

    @Test func `a claim that a crash left is taken over`() async throws {
        let left = Claim("ada", of: "acme", in: store)
        try await left.take(for: Enrollment.ID("crashed", of: "acme")) { _ in false }
        try await enroll("e2", claiming: "ada")
        #expect(try await accounts.holder(of: "ada")?.id.name == "e2")
    }

    @Test func `who is overtaken between claim and record takes the record back`()
        async throws
    {
        // The first process stops after its claim; a second one takes that for left by a crash.
        let slow = Claim("ada", of: "acme", in: store)
        let first = Enrollment.ID("e1", of: "acme")
        try await slow.take(for: first) { _ in false }
        try await enroll("e2", claiming: "ada")
        #expect(try await !slow.confirm(for: first))
        #expect(try await accounts.holder(of: "ada")?.id.name == "e2")
    }

    @Test func `who looked before the record was there can't take a confirmed claim`()
        async throws
    {
        let claim = Claim("ada", of: "acme", in: store)
        let first = Enrollment.ID("e1", of: "acme")
        try await claim.take(for: first) { _ in false }
        var isFirstLook = true
        let taken = await code {
            try await claim.take(for: Enrollment.ID("e2", of: "acme")) {
                (holder) throws(PushError) in
                guard isFirstLook else { return try await accounts.account(holder) != nil }
                isFirstLook = false
                // Nothing is there yet; now the first process goes on.
                try await enroll("e1")
                _ = try await claim.confirm(for: first)
                return false
            }
        }
        #expect(taken == .alreadyEnrolled)
        #expect(try await claim.holder() == first)
    }

    @Test func `a damaged claim is made again, a damaged enrollment keeps its own`() async throws {
        try await enroll("e1", claiming: "ada")
        let key = RecordKey("claim/acme", "ada")
        let revision = try await store.read(key)?.revision
        try await store.write(Secret([1]), for: key, replacing: revision)
        #expect(try await accounts.holder(of: "ada") == nil)
        try await enroll("e2", claiming: "ada")
        let damaged = Documents.key(Enrollment.ID("e2", of: "acme"))
        try await store.write(
            Secret([1]), for: damaged, replacing: try await store.read(damaged)?.revision)
        #expect(await code { try await enroll("e3", claiming: "ada") } == .alreadyEnrolled)
        try await accounts.delete(Enrollment.ID("e2", of: "acme"))
        try await enroll("e3", claiming: "ada")
    }

    @Test(arguments: 0..<20)
    func `of two processes that enroll the same at once one wins`(_: Int) async throws {
        let results = await withTaskGroup(of: PushError.Code?.self) { group in
            for name in ["e1", "e2"] {
                group.addTask { await code { try await enroll(name, claiming: "ada") } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let kept = try await accounts.enrollments()
        #expect(results.filter { $0 == nil }.count == kept.count)
        #expect(kept.count <= 1)
    }

    @Test func `the thousandth enrollment costs what the first did`() async throws {
        let counting = CountingStore(store)
        let accounts = accounts(of: "acme", in: counting)
        var costs: [Int] = []
        for number in 1...1000 {
            let before = await counting.trips
            try await enroll("e\(number)", claiming: "user\(number)", in: accounts)
            costs.append(await counting.trips - before)
        }
        #expect(Set(costs).count == 1)
        #expect(await counting.listings == 0)
    }
}

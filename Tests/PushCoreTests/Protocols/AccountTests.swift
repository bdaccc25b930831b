import Foundation
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// One enrollment, lent to its provider: what a change of it costs, and how often it's decoded.
struct AccountTests {
    private let key = Documents.key(.ada)
    private let memory = InMemoryStore()
    private let contested: ContestedStore
    private let store: CountingStore
    private let exchanges = ExchangeCount()

    init() {
        contested = ContestedStore(memory)
        store = CountingStore(contested)
    }

    /// The enrollments as one process has them.
    private func process(on store: any CredentialStore) -> Accounts {
        Accounts(Documents(store, SystemRandom(), exchanges), of: "acme")
    }

    @discardableResult
    private func make(
        in accounts: Accounts, _ state: Enrollment.State = .active
    ) async throws -> Account {
        try await accounts.create(Enrollment(id: .ada, state: state, created: morning), Tally())
    }

    private func number(of account: Account) throws -> UInt8 {
        try account.credential(as: Tally.self).number
    }

    /// Counts a tally up, and returns it.
    @discardableResult
    private func count(_ account: Account) async throws(PushError) -> UInt8 {
        try await account.change { (tally: inout Tally, _) in
            tally.number += 1
            return tally.number
        }
    }

    // MARK: Changes

    private struct Cost: Equatable {
        let reads: Int
        let writes: Int
    }

    private func cost(of body: () async throws -> Void) async rethrows -> Cost {
        let before = await Cost(reads: store.reads, writes: store.writes)
        try await body()
        return await Cost(
            reads: store.reads - before.reads, writes: store.writes - before.writes)
    }

    @Test func `a change is one write and no read, as it starts from what is in hand`()
        async throws
    {
        let accounts = process(on: store)
        let made = try await make(in: accounts)
        let afterMaking = try await cost { try await count(made) }
        #expect(afterMaking == Cost(reads: 0, writes: 1))
        let account = try await accounts.existing(.ada)
        let once = try await cost { try await count(account) }
        #expect(once == Cost(reads: 0, writes: 1))
        let again = try await cost {
            try await count(account)
            try await account.changeEnrollment { $0.issuer = "Acme" }
        }
        #expect(again == Cost(reads: 0, writes: 2))
        let unchanged = try await cost { try await account.changeEnrollment { $0.issuer = "Acme" } }
        #expect(unchanged == Cost(reads: 0, writes: 0))
        // After an exchange what is in hand may be old: that there is nothing to write, the store says.
        exchanges.add()
        let later = try await cost { try await account.changeEnrollment { $0.issuer = "Acme" } }
        #expect(later == Cost(reads: 1, writes: 0))
        let found = try await process(on: memory).existing(.ada)
        #expect(try number(of: found) == 3 && found.enrollment.issuer == "Acme")
    }

    @Test func `a change that another process overtook runs again on that one's record`()
        async throws
    {
        let account = try await make(in: process(on: store))
        let other = process(on: memory)
        await contested.interrupt(key.collection) { _ in
            _ = try? await other.existing(.ada).change { (tally: inout Tally, enrollment) in
                tally.number = 7
                enrollment.issuer = "Another process"
            }
        }
        var found: [UInt8] = []
        let cost = try await cost {
            try await account.change { (tally: inout Tally, enrollment) in
                found.append(tally.number)
                tally.number += 1
                enrollment.account = "ada"
            }
        }
        #expect(found == [0, 7])
        #expect(cost == Cost(reads: 1, writes: 1))
        for account in [account, try await other.existing(.ada)] {
            #expect(try number(of: account) == 8)
            #expect(account.enrollment.issuer == "Another process")
            #expect(account.enrollment.account == "ada")
        }
        #expect(await contested.remaining == 0)
    }

    @Test func `a refused change goes on from what a server's store found`() async throws {
        let shared = InMemoryStore(isShared: true)
        let counting = CountingStore(shared)
        let account = try await make(in: process(on: counting))
        try await process(on: shared).existing(.ada).changeEnrollment { $0.issuer = "Another" }
        let reads = await counting.reads
        try await count(account)
        #expect(await counting.reads == reads)
        let found = try await process(on: shared).existing(.ada)
        #expect(try number(of: found) == 1 && found.enrollment.issuer == "Another")
    }

    @Test func `a change that refuses what is in hand is tried on the newest record`() async throws
    {
        let account = try await make(in: process(on: store), .blocked("policy"))
        try await process(on: memory).existing(.ada).changeEnrollment { $0.state = .active }
        // What was read before an exchange may be old.
        exchanges.add()
        try await account.changeEnrollment { (enrollment) throws(PushError) in
            guard enrollment.state == .active else { throw PushError(.blocked, "Not now.") }
            enrollment.issuer = "Acme"
        }
        let found = try await process(on: memory).existing(.ada).enrollment
        #expect(found.state == .active && found.issuer == "Acme")
    }

    @Test func `calls that change one account at once lose neither a change nor a note`()
        async throws
    {
        let account = try await make(in: process(on: store))
        for round in UInt8(1)...20 {
            account.note { (_: inout Tally, enrollment) in enrollment.issuer = "\(round)" }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { _ = try? await count(account) } }
            }
            #expect(try number(of: account) == round * 4)
        }
        let found = try await process(on: memory).existing(.ada)
        #expect(try number(of: found) == 80 && found.enrollment.issuer == "20")
    }

    @Test func `a change that throws changes nothing`() async throws {
        let account = try await make(in: process(on: store))
        var thrown: PushError.Code?
        let cost = await cost {
            thrown = await code {
                try await account.change { (tally: inout Tally, enrollment) throws(PushError) in
                    tally.number = 9
                    enrollment.issuer = "Changed"
                    throw PushError(.blocked, "No.")
                }
            }
        }
        #expect(thrown == .blocked && cost.writes == 0)
        for account in [account, try await process(on: memory).existing(.ada)] {
            #expect(try number(of: account) == 0 && account.enrollment.issuer == nil)
        }
    }

    @Test func `an enrollment that was removed meanwhile isn't changed`() async throws {
        let account = try await make(in: process(on: store))
        try await process(on: memory).delete(.ada)
        #expect(await code { try await count(account) } == .unknownEnrollment)
        #expect(try await memory.read(key) == nil)
    }

    @Test func `an enrollment that was moved away meanwhile isn't changed`() async throws {
        let accounts = process(on: store)
        let account = try await make(in: accounts)
        let other = try #require(try await Documents(memory, SystemRandom()).read(.ada))
        try await other.change { $0.head.departed = morning }
        let moved = try await memory.read(key)?.revision
        #expect(await code { try await count(account) } == .movedAway)
        #expect(await code { try await accounts.account(.ada) } == .movedAway)
        #expect(try await memory.read(key)?.revision == moved)
    }

    // MARK: Decoding

    private func decodings(in body: () async throws -> Void) async rethrows -> Int {
        let count = Locked(0)
        try await Tally.decodings.withValue(count) { try await body() }
        return count.withLock { $0 }
    }

    @Test func `a credential is decoded once in a step, its writes included`() async throws {
        try await make(in: process(on: memory))
        let accounts = process(on: memory)
        let decodings = try await decodings {
            for step in 1...3 {
                let account = try await accounts.existing(.ada)
                #expect(try number(of: account) == step - 1)
                let counted = try await count(account)
                #expect(counted == step)
                #expect(try number(of: account) == step)
                try await account.changeEnrollment { $0.issuer = "Acme \(step)" }
            }
        }
        #expect(decodings == 3)
    }

    @Test func `the step that made a credential needn't decode it`() async throws {
        let accounts = process(on: memory)
        let decodings = try await decodings {
            let made = try await make(in: accounts)
            _ = try number(of: made)
            try await count(made)
        }
        #expect(decodings == 0)
    }

    @Test func `what another process wrote is decoded anew, and once`() async throws {
        let other = process(on: memory)
        try await make(in: other)
        let accounts = process(on: store)
        let account = try await accounts.existing(.ada)
        try await count(account)
        // Found by reading.
        try await count(try await other.existing(.ada))
        let read = try await decodings {
            let found = try await accounts.existing(.ada)
            for _ in 0..<2 { #expect(try number(of: found) == 2) }
        }
        #expect(read == 1)
        // Found by a write that was overtaken.
        let current = try await accounts.existing(.ada)
        await contested.interrupt(key.collection) { _ in
            _ = try? await other.existing(.ada).change { (tally: inout Tally, _) in
                tally.number = 9
            }
        }
        let overtaken = try await decodings {
            let counted = try await count(current)
            #expect(counted == 10)
        }
        // The other process's own, this one's, and what was found.
        #expect(overtaken == 3)
    }

    @Test func `what asks for the public half alone decodes nothing`() async throws {
        try await make(in: process(on: memory))
        let accounts = process(on: memory)
        let decodings = try await decodings {
            let account = try await accounts.existing(.ada)
            try await account.changeEnrollment { $0.issuer = "Acme" }
            #expect(account.enrollment.issuer == "Acme")
        }
        #expect(decodings == 0)
    }

    @Test func `what asks for an enrollment in its turn gets what the turn has`() async throws {
        try await make(in: process(on: memory))
        let harness = AuthenticatorHarness(store: memory)
        let (authenticator, accounts) = (try harness.authenticator(), harness.acme().accounts)
        let decodings = try await decodings {
            for step in 1...3 {
                let counted = try await authenticator.turn(of: .ada) {
                    (account) async throws(PushError) in
                    try await account.change { (tally: inout Tally, _) in tally.number += 1 }
                    return try await accounts.existing(.ada).credential(as: Tally.self).number
                }
                #expect(counted == step)
            }
        }
        #expect(decodings == 3)
    }

    @Test func `a credential that can't be decoded is malformed, and only it`() async throws {
        let accounts = process(on: store)
        let account = try await accounts.create(
            Enrollment(id: .ada, state: .active, created: morning), secret("no tally"))
        for account in [account, try await accounts.existing(.ada)] {
            #expect(code { try account.credential(as: Tally.self) } == .malformed)
            #expect(await code { try await count(account) } == .malformed)
        }
        try await account.changeEnrollment { $0.issuer = "Acme" }
        #expect(try await accounts.existing(.ada).enrollment.issuer == "Acme")
        try await accounts.delete(.ada)
        #expect(try await accounts.account(.ada) == nil)
    }
}

import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What is over, and who else is enrolled, costs nothing where nobody asks for it.
@Suite(.timeLimit(.minutes(5))) struct UnfinishedTests {
    private let counting: CountingStore
    private let harness: AuthenticatorHarness

    init() {
        let store = InMemoryStore()
        counting = CountingStore(store)
        harness = AuthenticatorHarness(store: counting)
    }

    /// What a process has read when it has done something.
    private struct Cost: Equatable {
        var reads: Int
        var listings: Int
        var names: Int
    }

    private func cost(of body: () async throws -> Void) async throws -> Cost {
        let before = (await counting.reads, await counting.listings, await counting.names)
        try await body()
        return Cost(
            reads: await counting.reads - before.0, listings: await counting.listings - before.1,
            names: await counting.names - before.2)
    }

    /// Challenges that were withdrawn before they came, withdrawn, and answered.
    private func close(_ count: Int, _ authenticator: PushAuthenticator) async throws {
        for number in 0..<count {
            let id = "over-\(number)"
            let kind = number % 20
            if kind >= 18 { _ = try await authenticator.receive(try AcmeWire.ask(id)) }
            if kind == 19 {
                #expect(try await authenticator.deny(.ada(id)) == .delivered)
            } else {
                _ = try await authenticator.receive(try AcmeWire.cancel(id))
            }
        }
    }

    @Test func `of two thousand challenges that are over a list opens none, in any process`()
        async throws
    {
        let options = Acme.Options(listsAll: true)
        let first = try harness.authenticator(options)
        _ = try await first.join("ada")
        _ = try await first.receive(try AcmeWire.ask("open"))
        await harness.server.offer(AcmeWire.claims("open"), to: "ada")
        func costOfList() async throws -> Cost {
            let process = try harness.authenticator(options)
            var waiting: [Challenge.ID] = []
            let cost = try await cost { () async throws in
                _ = try await process.pending()
                waiting = try await process.unfinishedRecords().map(\.id)
            }
            #expect(waiting == [.ada("open")])
            return cost
        }
        let before = try await costOfList()
        try await close(2_000, first)
        #expect(try await costOfList() == before)
        #expect(try await costOfList() == before)
        // Whoever wants more gets the newest of what is over. Two of them were announced.
        #expect(
            try await Set(first.records().map(\.id.name)) == ["open", "over-1998", "over-1999"])
    }

    @Test func `what waits is on record, and the sixteen newest that ended`() async throws {
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("open"))
        _ = try await authenticator.receive(try AcmeWire.ask("decided"))
        await harness.faults.next(.dropBefore)
        _ = try await authenticator.deny(.ada("decided"))
        for number in 1...40 { try await deny("\(number)", authenticator) }
        let process = try harness.authenticator()
        let names = try await process.records().map(\.id.name)
        #expect(names.count == 18)
        #expect(Set(names) == Set(["open", "decided"] + (25...40).map { "\($0)" }))
        // What is over for longer is still known: it can't come again, nor be answered again.
        #expect(try await process.record(of: .ada("24")) == nil)
        #expect(try await process.receive(try AcmeWire.ask("24")).map(\.isNew) == [false])
        #expect(await code { try await process.deny(.ada("24")) } == .over)
    }

    @Test func `a process that resumes opens no enrollment in which nothing waits`() async throws {
        let first = try await harness.enrolled(["ada", "bob", "eve"])
        try await deny("0", first)
        let process = try harness.authenticator()
        try await process.resume()
        // One look at each tells who lacks the device token.
        let before = try await cost { try await process.resume() }
        for number in 1...30 { try await deny("\(number)", first) }
        #expect(try await cost { try await process.resume() } == before)
        // One of them is opened, whatever is over in the others.
        _ = try await first.receive(try AcmeWire.ask("1", to: "bob"))
        let waiting = try await cost { try await process.resume() }
        #expect(waiting.reads == before.reads + 1 && waiting.names == before.names + 1)
        #expect(waiting.listings == before.listings)
        // What is left of an answer that another process recorded is still found.
        _ = try await first.receive(try AcmeWire.ask("open"))
        await harness.faults.next(.dropBefore)
        _ = try await first.deny(.ada("open"))
        #expect(try await process.resume() == [.ada("open"): .delivered])
        #expect(
            try await first.unfinishedRecords().map(\.id) == [Challenge.ID("1", of: .bob)])
    }

    private func deny(_ name: String, _ authenticator: PushAuthenticator) async throws {
        _ = try await authenticator.receive(try AcmeWire.ask(name))
        #expect(try await authenticator.deny(.ada(name)) == .delivered)
    }

    @Test func `what waits for the vendor's word isn't over`() async throws {
        let authenticator = try await harness.enrolled()
        for id in ["1", "2"] { _ = try await authenticator.receive(try AcmeWire.ask(id)) }
        await harness.faults.next(.dropBefore)
        _ = try await authenticator.deny(.ada("1"))
        let second = try harness.authenticator()
        #expect(try await second.unfinishedRecords(of: .ada).map(\.id).count == 2)
        #expect(try await second.unfinishedRecords(of: .bob).isEmpty)
        #expect(try await second.resume() == [.ada("1"): .delivered])
        #expect(try await second.unfinishedRecords().map(\.id) == [.ada("2")])
    }

    @Test func `what the vendor opens again is no longer over`() async throws {
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1", prompt: "choose"))
        await harness.server.sayUntaken()
        guard case .notTaken = try await authenticator.resolve(challenge, with: .choose("12"))
        else {
            Issue.record("The wrong number was taken.")
            return
        }
        #expect(try await authenticator.unfinishedRecords().map(\.state) == [.open])
    }

    @Test func `a damaged row is reported, and hides no other`() async throws {
        let authenticator = try await harness.enrolled()
        for id in ["1", "2"] { _ = try await authenticator.receive(try AcmeWire.ask(id)) }
        try await harness.damageRow(.ada("1"))
        #expect(try await authenticator.unfinishedRecords().map(\.id) == [.ada("2")])
        #expect(try await authenticator.unfinishedRecords(of: .ada).map(\.id) == [.ada("2")])
        #expect(harness.observer.observations.contains { $0.kind == .damaged(.challenge) })
    }

    @Test func `one enrollment is looked at without the others, one challenge likewise`()
        async throws
    {
        let authenticator = try await harness.enrolled()
        try await authenticator.deviceTokenChanged(.fcm("token"))
        _ = try await authenticator.receive(try AcmeWire.ask("open"))
        func costs() async throws -> [Cost] {
            let process = try harness.authenticator()
            return [
                try await cost { _ = try await process.enrollment(.ada) },
                try await cost { _ = try await process.deviceTokenState(of: .ada) },
                try await cost { _ = try await process.record(of: .ada("open")) },
                try await cost { _ = try await process.challenge(.ada("open")) },
            ]
        }
        let before = try await costs()
        #expect(before.allSatisfy { $0.listings == 0 })
        for number in 0..<100 { _ = try await authenticator.join("user-\(number)") }
        try await close(100, authenticator)
        #expect(try await costs() == before)
        #expect(try await authenticator.enrollmentIDs().count == 101)
        let refusal = await code { try await authenticator.deviceTokenState(of: .bob) }
        #expect(refusal == .unknownEnrollment)
    }
}

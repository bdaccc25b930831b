import Foundation
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// What isn't finished is found by an index, where the store makes several changes at once.
@Suite(.timeLimit(.minutes(5))) struct IndexTests {
    private let store = InMemoryStore(.atomic)
    private let counting: CountingStore
    private let harness: AuthenticatorHarness

    init() {
        counting = CountingStore(store)
        harness = AuthenticatorHarness(store: counting)
    }

    private func entries() async throws -> [UnfinishedEntry.Matter] {
        try await Ledger(store: store, clock: harness.clock).index.entries().map(\.matter)
    }

    @Test func `a challenge is in the index from its announcement to its last word`() async throws {
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        #expect(try await entries() == [.open(.ada("1"))])
        await harness.faults.next(.dropBefore)
        _ = try await authenticator.deny(.ada("1"))
        #expect(try await entries() == [.decided(.ada("1"))])
        #expect(try await harness.authenticator().resume() == [.ada("1"): .delivered])
        #expect(try await entries().isEmpty)
    }

    @Test func `what is withdrawn or opened again is in the index as it is`() async throws {
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        _ = try await authenticator.receive(try AcmeWire.cancel("1"))
        _ = try await authenticator.receive(try AcmeWire.cancel("2"))
        #expect(try await entries().isEmpty)
        let challenge = try await authenticator.open(try AcmeWire.ask("3", prompt: "choose"))
        await harness.server.sayUntaken()
        _ = try await authenticator.resolve(challenge, with: .choose("12"))
        #expect(try await entries() == [.open(.ada("3"))])
    }

    @Test func `enrollments and how their tokens stand are three trips, however many there are`()
        async throws
    {
        let authenticator = try await harness.enrolled(["ada", "bob"])
        try await authenticator.deviceTokenChanged(.fcm("t1"))
        try await authenticator.deviceTokenChanged(.fcm("t2"), for: .bob)
        let before = await counting.trips
        let enrollments = try await authenticator.enrollments()
        let states = try await authenticator.deviceTokenStates(of: enrollments)
        #expect(await counting.trips - before == 3)
        #expect(states == [.ada: .current, .bob: .current])
        #expect(try await authenticator.deviceTokenStates(of: []).isEmpty)
    }

    @Test func `however much is over, a process that starts reads none of it`() async throws {
        let authenticator = try await harness.enrolled()
        // The first of the day looks through what is over.
        try await authenticator.resume()
        func cost() async throws -> Int {
            let before = await counting.reads
            try await harness.authenticator().resume()
            return await counting.reads - before
        }
        _ = try await authenticator.receive(try AcmeWire.ask("open"))
        let before = try await cost()
        for number in 0..<50 {
            _ = try await authenticator.receive(try AcmeWire.ask("\(number)"))
            #expect(try await authenticator.deny(.ada("\(number)")) == .delivered)
        }
        #expect(try await cost() == before)
        #expect(try await authenticator.records().count == 51)
    }

    @Test func `a row whose enrollment goes meanwhile isn't made`() async throws {
        let authenticator = try await harness.enrolled()
        let announcement = Announcement(
            Notice(id: .ada("1"), proof: .mac), context: secret("c"))
        let credential = RecordKey("credential/acme", "ada")
        let revision = try await store.read(credential)?.revision
        try await store.write(nil, for: credential, replacing: revision)
        let ledger = Ledger(store: store, clock: harness.clock)
        let error = try await refusal {
            try await ledger.open(announcement, along: [.exists(credential)])
        }
        #expect(error.code == .conflict)
        #expect(error.refusal?.index == 0)
        #expect(try await ledger.row(.ada("1")) == nil)
        #expect(try await authenticator.unfinishedRecords().isEmpty)
    }

    @Test func `an entry that names too much is taken out, and hides nothing`() async throws {
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let ledger = Ledger(store: store, clock: harness.clock)
        try await ledger.index.begin(.decided(.ada("gone")))
        try await authenticator.resume()
        #expect(try await entries() == [.open(.ada("1"))])
        #expect(try await authenticator.unfinishedRecords().map(\.id) == [.ada("1")])
        // One that is damaged is made again with the next change of its row.
        await store.damage(UnfinishedEntry.key(.ada("1")))
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
        #expect(try await entries().isEmpty)
        #expect(try await store.names(in: UnfinishedEntry.collection).isEmpty)
    }

    @Test func `a removal that was cut short is finished by the next process`() async throws {
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
        try await authenticator.resume()
        let ledger = Ledger(store: store, clock: harness.clock)
        try await ledger.index.begin(.removal(.ada))
        let credential = RecordKey("credential/acme", "ada")
        let revision = try await store.read(credential)?.revision
        try await store.write(nil, for: credential, replacing: revision)
        try await harness.authenticator().resume()
        #expect(try await store.names(in: Ledger.collection).isEmpty)
        #expect(try await entries().isEmpty)
    }

    @Test(arguments: [200.0, -45.0])
    func `on machines that share a store a lease is judged by who looks at it`(
        skew: Double
    ) async throws {
        let shared = InMemoryStore([.atomic, .shared])
        let harness = AuthenticatorHarness(store: shared)
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let ledger = Ledger(store: shared, clock: harness.clock)
        // The clock of another machine is ahead, or behind by more than a lease.
        let bytes = AcmeWire.answer(
            ["id": "1", "choice": "deny:unexpected"], key: AcmeWire.key(of: "ada"))
        let answer = LedgerRow.DecidedAnswer(
            .deny(.unexpected), Answer(Secret(bytes.utf8), kept: .whole),
            lease: LedgerRow.Lease(owner: "other", since: harness.clock.now + skew))
        _ = try await ledger.decide(.ada("1"), answer, again: false, length: .seconds(40))
        let process = try harness.authenticator()
        _ = try await process.resume()
        #expect(await harness.server.answers.isEmpty)
        harness.clock.advance(by: .seconds(39))
        _ = try await process.resume()
        #expect(await harness.server.answers.isEmpty)
        harness.clock.advance(by: .seconds(2))
        // The clock wakes the background as well, which may be the one that sends it.
        try await eventually("It is taken over.") {
            _ = try await process.resume()
            return await harness.server.choices() == ["deny:unexpected"]
        }
    }
}

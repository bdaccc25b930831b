import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// One sequence of what becomes of the challenges, whichever process of a store does it.
@Suite(.timeLimit(.minutes(5))) struct ChangesTests {
    /// What is told of a challenge.
    private struct Told: Equatable {
        let name: String
        let state: ChallengeRecord.State

        init(_ name: String, _ state: ChallengeRecord.State) {
            self.name = name
            self.state = state
        }
    }

    /// A process that reads the changes.
    private struct Reader {
        let process: Machine
        private var changes: AsyncStream<ChallengeRecord>.Iterator

        init(_ process: Machine) async {
            self.process = process
            changes = await process.authenticator.changes().makeAsyncIterator()
        }

        /// What comes while no time passes.
        mutating func next() async -> Told? {
            await changes.next(isolation: #isolation).map { Told($0.id.name, $0.state) }
        }

        /// What comes as time passes.
        mutating func nextLook() async -> Told? {
            let ticking = process.clock.ticking(by: .seconds(1))
            defer { ticking.cancel() }
            return await next()
        }
    }

    private static let denied = ChallengeRecord.State.answered(.deny(.unexpected), .delivered)

    /// A process at which ada is enrolled.
    private func enrolled(
        _ harness: AuthenticatorHarness, _ change: (inout PushConfiguration) -> Void = { _ in }
    ) async throws -> Machine {
        let machine = try harness.machine("app", change)
        _ = try await machine.authenticator.join("ada")
        return machine
    }

    private func ask(_ names: String..., of app: Machine) async throws {
        for name in names { _ = try await app.authenticator.receive(try AcmeWire.ask(name)) }
    }

    @Test func `what waits comes first, open or decided`() async throws {
        let harness = AuthenticatorHarness()
        let app = try await enrolled(harness)
        try await ask("1", "2", "3", of: app)
        _ = try await app.authenticator.deny(.ada("3"))
        await harness.faults.next(.refuse)
        _ = try await app.authenticator.deny(.ada("2"))
        var reader = await Reader(try harness.machine("extension"))
        var first = [try #require(await reader.next()), try #require(await reader.next())]
        first.sort { $0.name < $1.name }
        #expect(first == [Told("1", .open), Told("2", .decided(.deny(.unexpected)))])
        try await ask("4", of: app)
        #expect(await reader.nextLook() == Told("4", .open))
    }

    @Test func `what this process receives, closes and answers comes at once`() async throws {
        let harness = AuthenticatorHarness()
        let app = try await enrolled(harness)
        var reader = await Reader(app)
        for name in ["1", "2"] {
            try await ask(name, of: app)
            #expect(await reader.next() == Told(name, .open))
        }
        _ = try await app.authenticator.receive(try AcmeWire.cancel("1"))
        #expect(
            await reader.next() == Told("1", .over(Withdrawal(.ada("1"), .cancelled))))
        _ = try await app.authenticator.deny(.ada("2"))
        #expect(await reader.next() == Told("2", Self.denied))
    }

    @Test func `what another process receives, answers and closes comes with the next look`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let app = try await enrolled(harness)
        var reader = await Reader(try harness.machine("extension"))
        try await ask("1", of: app)
        #expect(await reader.next() == Told("1", .open))
        try await ask("2", of: app)
        #expect(await reader.nextLook() == Told("2", .open))
        _ = try await app.authenticator.deny(.ada("1"))
        #expect(await reader.nextLook() == Told("1", Self.denied))
        _ = try await app.authenticator.receive(try AcmeWire.cancel("2"))
        #expect(
            await reader.nextLook() == Told("2", .over(Withdrawal(.ada("2"), .cancelled))))
    }

    @Test func `a challenge that its vendor opens again is told as open once more`() async throws {
        let harness = AuthenticatorHarness()
        let app = try await enrolled(harness)
        var reader = await Reader(try harness.machine("extension"))
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1", prompt: "choose"))
        #expect(await reader.next() == Told("1", .open))
        let gate = Gate()
        await harness.server.hold("/answer", at: gate)
        let answer = Task { try await app.authenticator.resolve(challenge, with: .choose("12")) }
        await gate.arrival()
        #expect(await reader.nextLook() == Told("1", .decided(.choose("12"))))
        await gate.open()
        #expect(
            try await answer.value
                == .notTaken(.init(.wrongChoice, mayRetry: true, attemptsLeft: 2)))
        #expect(await reader.nextLook() == Told("1", .open))
    }

    @Test func `a challenge goes with its enrollment`() async throws {
        let harness = AuthenticatorHarness()
        let app = try await enrolled(harness)
        try await ask("1", of: app)
        var (own, other) = (await Reader(app), await Reader(try harness.machine("extension")))
        #expect(await own.next() == Told("1", .open))
        #expect(await other.next() == Told("1", .open))
        try await app.authenticator.remove(.ada)
        let gone = Told("1", .over(Withdrawal(.ada("1"), .unknown)))
        #expect(await own.next() == gone)
        #expect(await other.nextLook() == gone)
    }

    @Test func `of what left only a trace the end is told as far as it is known`() async throws {
        let harness = AuthenticatorHarness()
        let app = try await enrolled(harness) { $0.retention.rows = 0 }
        try await ask("1", of: app)
        var reader = await Reader(try harness.machine("extension"))
        #expect(await reader.next() == Told("1", .open))
        _ = try await app.authenticator.deny(.ada("1"))
        guard case .answered(.deny(.unexpected), .unknown)? = await reader.nextLook()?.state else {
            Issue.record("It wasn't told as answered.")
            return
        }
        try await ask("2", of: app)
        #expect(await reader.nextLook() == Told("2", .open))
        _ = try await app.authenticator.receive(try AcmeWire.cancel("2"))
        #expect(await reader.nextLook() == Told("2", .over(Withdrawal(.ada("2"), .unknown))))
    }

    @Test func `a state is told once, and a reader that fell behind hears the newest`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let app = try await enrolled(harness)
        var (own, other) = (await Reader(app), await Reader(try harness.machine("extension")))
        try await ask("1", of: app)
        #expect(await own.next() == Told("1", .open))
        #expect(await other.next() == Told("1", .open))
        for _ in 0..<2 {
            // What comes again, what was given already, and what is over before anybody looks.
            try await ask("1", "2", of: app)
            _ = try await app.authenticator.deny(.ada("1"))
            _ = try await app.authenticator.deny(.ada("2"))
        }
        try await ask("3", of: app)
        let owns = [await own.next(), await own.next(), await own.next()].compactMap { $0 }
        let newest = [Told("1", Self.denied), Told("2", Self.denied), Told("3", .open)]
        #expect(owns.sorted { $0.name < $1.name } == newest)
        let others = [await other.nextLook(), await other.nextLook()].compactMap { $0 }
        #expect(others.sorted { $0.name < $1.name } == [newest[0], newest[2]])
        _ = try await app.authenticator.deny(.ada("3"))
        #expect(await own.next() == Told("3", Self.denied))
        #expect(await other.nextLook() == Told("3", Self.denied))
    }

    @Test func `a look is one listing and one reading, however many wait`() async throws {
        let harness = AuthenticatorHarness()
        let app = try await enrolled(harness)
        _ = try await app.authenticator.join("bob")
        try await ask("1", "2", "3", of: app)
        _ = try await app.authenticator.receive(try AcmeWire.ask("4", to: "bob"))
        let process = try harness.machine("extension")
        let changes = await process.authenticator.changes()
        let reading = Task { for await _ in changes {} }
        await process.clock.sleeper()
        for _ in 0..<3 {
            let before = (await process.store.trips, await process.store.reads)
            process.clock.advance(by: .seconds(1))
            await process.clock.sleeper()
            #expect(await process.store.trips == before.0 + 2)
            #expect(await process.store.reads == before.1 + 2)
        }
        reading.cancel()
        await reading.value
    }

    @Test func `after a look that takes long the next one waits ten times that`() async throws {
        let (store, gate) = (FaultyStore(InMemoryStore()), Gate())
        let process = try AuthenticatorHarness(store: store).machine("app")
        await store.hold(listingsAt: gate)
        let changes = await process.authenticator.changes()
        let reading = Task { for await _ in changes {} }
        await gate.arrival()
        process.clock.advance(by: .seconds(2))
        await gate.open()
        await process.clock.sleeper()
        let looks = await process.store.listings
        process.clock.advance(by: .seconds(17))
        #expect(await process.store.listings == looks && process.clock.sleepers == 1)
        process.clock.advance(by: .seconds(1))
        await process.clock.sleeper()
        #expect(await process.store.listings == looks + 1)
        reading.cancel()
        await reading.value
    }

    @Test func `nothing is read for a sequence that is dropped or cancelled`() async throws {
        let harness = AuthenticatorHarness()
        let app = try await enrolled(harness)
        try await ask("1", of: app)
        let process = try harness.machine("extension")
        var reader: Reader? = await Reader(process)
        #expect(await reader?.next() == Told("1", .open))
        reader = nil
        let changes = await process.authenticator.changes()
        let reading = Task { for await _ in changes {} }
        await process.clock.sleeper()
        reading.cancel()
        await reading.value
        let before = await process.store.trips
        _ = try await app.authenticator.deny(.ada("1"))
        process.clock.advance(by: .seconds(60))
        #expect(process.clock.sleepers == 0)
        #expect(await process.store.trips == before)
    }

    @Test func `the sequence ends with its authenticator`() async throws {
        let harness = AuthenticatorHarness()
        var authenticator: PushAuthenticator? = try harness.authenticator()
        let changes = try #require(await authenticator?.changes())
        let reading = Task { for await _ in changes {} }
        await harness.clock.sleeper()
        authenticator = nil
        await reading.value
    }

    @Test func `a store that fails is told to the observer, and nothing is missed`() async throws {
        let behind = InMemoryStore()
        let app = try await enrolled(AuthenticatorHarness(store: behind))
        try await ask("1", of: app)
        let store = FaultyStore(behind)
        let harness = AuthenticatorHarness(store: store)
        let process = try harness.machine("extension")
        let changes = await process.authenticator.changes()
        await store.lock()
        let reading = Task { await changes.first { _ in true } }
        await process.clock.sleeper()
        #expect(harness.observer.observations.map(\.kind) == [.refused(.storage)])
        await store.lock(false)
        process.clock.advance(by: .seconds(1))
        let first = await reading.value
        #expect(first?.id == .ada("1") && first?.state == .open)
        #expect(harness.observer.observations.count == 1)
    }

    @Test func `a damaged record ends nothing, and is reported once`() async throws {
        let harness = AuthenticatorHarness()
        let app = try await enrolled(harness)
        _ = try await app.authenticator.join("bob")
        try await ask("1", of: app)
        var reader = await Reader(try harness.machine("extension"))
        #expect(await reader.next() == Told("1", .open))
        try await harness.store.damageFirst(of: "enrollment")
        for name in ["2", "3"] {
            _ = try await app.authenticator.receive(try AcmeWire.ask(name, to: "bob"))
            #expect(await reader.nextLook() == Told(name, .open))
        }
        let damaged = harness.observer.observations.filter { $0.kind == .damaged(.credential) }
        #expect(damaged.map(\.enrollment) == [.ada])
    }
}

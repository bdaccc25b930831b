import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// Forged commands, where only executing one tells what it is.
@Suite(.timeLimit(.minutes(10))) struct HintFloodTests {
    private actor Tally {
        private(set) var count = 0

        func add() { count += 1 }
    }

    private struct App {
        let clock = ManualClock(Date(timeIntervalSince1970: 1_767_225_000))
        let relay = StandInRelay()
        let engine = StandInEngine()
        let store = InMemoryStore()
        let reads: CountingStore
        let provider: OneSpan
        let authenticator: PushAuthenticator
        /// How many pushes of a flood are handled.
        private let handled = Tally()

        /// - Parameter others: How many more enrollments there are.
        /// - Throws: What enrolling throws.
        init(others: Int = 0) async throws {
            reads = CountingStore(store)
            let environment = PushEnvironment(
                transport: SimulatedTransport { _, _ in (.init(status: .notFound), Data()) },
                store: reads, verifier: ScriptedUser(), clock: clock,
                random: SeededRandom(seed: 1), device: Device(name: "Phone", platform: .android))
            provider = OneSpan(
                engine: engine, relay: relay,
                configuration: .init(identifiers: OpenNotificationIdentifiers()), in: environment)
            authenticator = PushAuthenticator(try PluginRegistry([provider]), in: environment)
            try await authenticator.deviceTokenChanged(OneSpanHarness.token)
            let invitation = Invitation.credentials(user: "alice", password: Secret([0x41]))
            _ = try await authenticator.enroll(
                try #require(try authenticator.offers(for: invitation).first))
            for index in 0..<others {
                let id = Enrollment.ID("other-\(index)", of: "onespan")
                try await provider.accounts.create(
                    Enrollment(id: id, state: .active, created: clock.now), Secret([0x41]))
            }
        }

        /// A genuine request, opened.
        func open() async throws -> Challenge {
            let trigger = try Binary().write(.init(verb: .trigger, flow: nil))
            let message = PushMessage(text: trigger.hex, by: .scanned)
            let id = try #require(await authenticator.receive(message).first?.challenge)
            return try await authenticator.challenge(id)
        }

        /// Receives as many pushes at once; what comes of them comes as time passes.
        func flood(_ verb: String, count: Int = 200) -> Task<Void, Never> {
            Task { [authenticator, handled] in
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<count {
                        group.addTask {
                            guard let push = try? HintFloodTests.push(verb, number) else { return }
                            _ = try? await authenticator.receive(push)
                            await handled.add()
                        }
                    }
                }
            }
        }

        /// Waits until each of as many pushes is handled or waits for the next question.
        func arrival(of count: Int = 200, at id: Enrollment.ID) async throws {
            while await authenticator.callersOfQuestion(at: id) + (await handled.count) < count {
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        /// Lets time pass until something is over.
        func pass(until task: Task<Void, Never>) async throws {
            let clock = clock
            let passing = Task {
                while !Task.isCancelled {
                    clock.advance(by: .seconds(5))
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            await task.value
            passing.cancel()
        }
    }

    /// A push of a command that nobody has seen before.
    private static func push(_ verb: String, _ number: Int) throws -> PushMessage {
        let command: JSON = [
            "verb": .string(verb), "value": .number(.init(Int64(number))), "padding": "forged",
        ]
        let push: JSON = ["oos": ["v": 1, "content": .string(hex(command.utf8))]]
        return try PushMessage(json: push.data)
    }

    @Test func `commands that the engine refuses cost no exchange, however many come`() async throws
    {
        let app = try await App()
        let sent = await app.relay.sent.count
        try await app.pass(until: app.flood("forged"))
        #expect(await app.relay.sent.count == sent)
    }

    @Test func `those that only the server can refuse cost few, and no answer waits for them`()
        async throws
    {
        let app = try await App()
        let challenge = try await app.open()
        let before = await app.relay.fetches
        await app.relay.refuseFetches()
        let flood = app.flood("trigger")
        // The clock stands still, so one question is all there was, about four commands at the most.
        try await app.arrival(at: challenge.id.enrollment)
        #expect(await app.relay.fetches - before <= 4)
        let outcome = try await app.authenticator.resolve(challenge, with: .deny(.fraud))
        #expect(outcome == .delivered)
        #expect(await app.relay.fetches - before <= 4)
        try await app.pass(until: flood)
        // All that waited were one question.
        #expect((1...8).contains(await app.relay.fetches - before))
    }

    @Test func `a command whose request is over costs one question, however often it comes`()
        async throws
    {
        let app = try await App()
        let before = await app.relay.fetches
        await app.relay.end()
        let push = try Self.push("trigger", 1)
        for _ in 0..<5 {
            app.clock.advance(by: .seconds(10))
            #expect(try await app.authenticator.receive(push).isEmpty)
        }
        #expect(await app.relay.fetches - before == 1)
    }

    @Test(arguments: [1, 39])
    func `a command costs one question, however many enrollments it may be for`(
        others: Int
    ) async throws {
        let app = try await App(others: others)
        let before = await app.relay.fetches
        let gate = Gate(letsCancelledPass: true)
        await app.relay.hold(at: gate)
        let push = try Self.push("trigger", 1)
        let found = Task { try await app.authenticator.receive(push) }
        await gate.arrival()
        // By now all that ask at once have asked.
        try await Task.sleep(for: .milliseconds(300))
        await gate.open()
        #expect(try await found.value.compactMap(\.challenge).count == 1)
        #expect(await app.relay.fetches - before == 1)
    }

    @Test func `a question that failed is asked again after a while, by nobody before`()
        async throws
    {
        let app = try await App(others: 39)
        let before = await app.relay.fetches
        await app.relay.refuseFetches()
        let push = try Self.push("trigger", 1)
        await #expect(throws: PushError.self) { try await app.authenticator.receive(push) }
        #expect(await app.relay.fetches - before == 1)
        await app.relay.refuseFetches(false)
        app.clock.advance(by: .seconds(5))
        #expect(try await app.authenticator.receive(push).compactMap(\.challenge).count == 1)
        #expect(await app.relay.fetches - before == 2)
    }

    @Test func `another command that leads to an open request leaves it as it is`() async throws {
        let app = try await App()
        let challenge = try await app.open()
        let flows = await app.engine.cancelled.count
        let again = try await app.authenticator.receive(try Self.push("trigger", 2))
        #expect(again.map(\.isNew) == [false])
        #expect(await app.engine.cancelled.count == flows + 1)
        let fetches = await app.relay.fetches
        #expect(try await app.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await app.relay.fetches == fetches)
    }

    @Test func `pushes that come at once read the credentials once`() async throws {
        let app = try await App(others: 5)
        let before = await app.reads.listings
        await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    guard let push = try? Self.push("trigger", number) else { return }
                    _ = try? await app.provider.candidate(in: push)?.verified(
                        with: app.provider.accounts)
                }
            }
        }
        #expect(await app.reads.listings == before + 1)
        // What this process changes is known at once.
        try await app.provider.users.erase(Enrollment.ID("other-0", of: "onespan"))
        let trigger = try Self.push("trigger", 0)
        guard
            case .hint(let hint) = try await app.provider.candidate(in: trigger)?.verified(
                with: app.provider.accounts)
        else {
            Issue.record("It can only be asked about.")
            return
        }
        #expect(hint.enrollments.count == 5)
    }
}

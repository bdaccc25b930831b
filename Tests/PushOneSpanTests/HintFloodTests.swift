import Foundation
import HTTPTypes
import PushCore
import PushOneSpan
import PushTesting
import Testing

/// Forged commands, where only executing one tells what it is.
@Suite(.timeLimit(.minutes(10))) struct HintFloodTests {
    private struct App {
        let clock = ManualClock(Date(timeIntervalSince1970: 1_767_225_000))
        let relay = StandInRelay()
        let authenticator: PushAuthenticator

        init() async throws {
            let environment = Environment(
                transport: SimulatedTransport { _, _ in (.init(status: .notFound), Data()) },
                store: InMemoryStore(), verifier: ScriptedUser(), clock: clock,
                random: SeededRandom(seed: 1), device: Device(name: "Phone", platform: .android))
            let provider = OneSpan(engine: StandInEngine(), relay: relay, in: environment)
            authenticator = PushAuthenticator(try PluginRegistry([provider]), in: environment)
            try await authenticator.deviceTokenChanged(World.token)
            let invitation = Invitation.credentials(user: "alice", password: Secret([0x41]))
            _ = try await authenticator.enroll(
                try #require(try authenticator.offers(for: invitation).first))
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
            Task { [authenticator] in
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<count {
                        group.addTask {
                            guard let push = try? HintFloodTests.push(verb, number) else { return }
                            _ = try? await authenticator.receive(push)
                        }
                    }
                }
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
        let hex = command.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        let push: JSON = ["oos": ["v": 1, "content": .string(hex.joined())]]
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
        // Many have come by now. The clock stands still, so one question is all there was.
        try await Task.sleep(for: .milliseconds(300))
        #expect(await app.relay.fetches - before <= 4)
        let outcome = try await app.authenticator.resolve(challenge, with: .deny(.fraud))
        #expect(outcome == .delivered)
        #expect(await app.relay.fetches - before <= 4)
        try await app.pass(until: flood)
        #expect((1...40).contains(await app.relay.fetches - before))
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
}

import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// Commands that go out again, and replies that the app is to bring.
@Suite(.timeLimit(.minutes(10))) struct FlowDriverTests {
    @Test func `the same bytes go out again, after one second and then after two`() async throws {
        let harness = try OneSpanHarness(tries: 3)
        let offer = try await harness.offer()
        for _ in 0..<2 { await harness.faults.next(.dropAfter) }
        async let enrollment = harness.authenticator.enroll(offer)
        for (pause, sent) in [(1_000, 1), (2_000, 2)] {
            await harness.untilAsleep(for: .milliseconds(pause))
            harness.clock.advance(by: .milliseconds(pause - 1))
            #expect(harness.clock.sleepers == 1)
            #expect(await harness.sent == sent)
            harness.clock.advance(by: .milliseconds(1))
        }
        #expect(try await enrollment.state == .pending(.deviceToken))
        let commands = try await harness.commands()
        #expect(commands.count == 4 + 2)
        #expect(commands[0] == commands[1] && commands[1] == commands[2])
        #expect(Set(commands).count == 4)
    }

    @Test func `after its last try a command isn't sent again`() async throws {
        let harness = try OneSpanHarness(tries: 2)
        let offer = try await harness.offer()
        for _ in 0..<2 { await harness.faults.next(.dropAfter) }
        async let enrollment = refusal { _ = try await harness.authenticator.enroll(offer) }
        await harness.untilAsleep(for: .seconds(1))
        harness.clock.advance(by: .seconds(1))
        #expect(try await enrollment.code == .interrupted)
        #expect(await harness.sent == 2)
        #expect(harness.clock.sleepers == 0)
    }

    @Test func `a status that won't pass isn't asked for again`() async throws {
        let harness = try OneSpanHarness(tries: 3)
        let offer = try await harness.offer()
        await harness.simulator.force(status: 404)
        let error = try await refusal { _ = try await harness.authenticator.enroll(offer) }
        #expect(error.code == .server(status: 404))
        #expect(await harness.sent == 1)
    }

    @Test func `a fetch goes out again, while its request lasts`() async throws {
        let first = try OneSpanHarness()
        try await first.activate()
        let harness = try OneSpanHarness(sharing: first, tries: 2)
        let (_, id) = try await harness.login()
        await harness.faults.next(.dropAfter)
        async let challenge = harness.authenticator.challenge(id)
        await harness.untilAsleep(for: .seconds(1))
        harness.clock.advance(by: .seconds(1))
        #expect(try await challenge.fields.map(\.value) == ["Sign in to Example Bank"])
        let sent = try await harness.commands().suffix(2)
        #expect(sent.first == sent.last)
    }

    // MARK: Replies that the app brings

    /// An app whose commands go nowhere.
    private func silent(_ harness: OneSpanHarness) async -> OneSpanApp {
        await OneSpanApp(harness, carries: false)
    }

    @Test func `an activation waits two minutes for the app to bring a reply`() async throws {
        let app = await silent(try OneSpanHarness(relays: false))
        async let activation: Void = app.activate()
        await app.wait(for: .step(0x01))
        await app.harness.untilAsleep(for: .seconds(120))
        app.harness.clock.advance(by: .seconds(119))
        #expect(await app.events == [.step(0x01)])
        app.harness.clock.advance(by: .seconds(1))
        try await activation
        #expect(await app.events == [.step(0x01), .error(.noReply)])
        #expect(try await app.door.users().isEmpty)
    }

    @Test func `a fetch whose reply the app doesn't bring ends as outdated`() async throws {
        let app = await silent(try await OneSpanHarness.activated(relays: false))
        await app.door.execute(try await app.pushed().0)
        await app.wait(for: .step(0x21))
        await app.harness.untilAsleep(for: .seconds(60))
        app.harness.clock.advance(by: .seconds(60))
        await app.wait(for: .outdated(.authentication, .unknown))
        #expect(await app.events == [.step(0x21), .outdated(.authentication, .unknown)])
    }

    @Test func `a registration waits five minutes, and isn't taken for done`() async throws {
        let app = await silent(try await OneSpanHarness.activated(relays: false))
        async let registration: Void = app.register(.fcm("another"))
        await app.wait(for: .step(0x10))
        await app.harness.untilAsleep(for: .seconds(300))
        app.harness.clock.advance(by: .seconds(299))
        #expect(await app.events == [.step(0x10)])
        app.harness.clock.advance(by: .seconds(1))
        try await registration
        #expect(await app.events == [.step(0x10), .error(.noReply)])
    }

    @Test func `a reply that comes after the end is an error, and changes nothing`() async throws {
        let app = await silent(try OneSpanHarness(relays: false))
        async let activation: Void = app.activate()
        await app.wait(for: .step(0x01))
        await app.harness.untilAsleep(for: .seconds(120))
        let command = try #require(await app.commands.first)
        let read = try #require(Command(hex: command.hex))
        let late = try #require(try await app.site.server.carry(read))
        app.harness.clock.advance(by: .seconds(121))
        try await activation
        await app.door.execute(late.hex)
        await app.wait(for: .error(.unexpectedCommand))
        #expect(
            await app.events == [
                .step(0x01), .error(.noReply), .error(.unexpectedCommand),
            ])
        #expect(try await app.door.users().isEmpty)
    }
}

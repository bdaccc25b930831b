import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// Commands that go out again, and replies that the app is to bring.
@Suite(.timeLimit(.minutes(10))) struct FlowDriverTests {
    @Test func `the same bytes go out again, after one second and then after two`() async throws {
        let world = try World(tries: 3)
        let offer = try await world.offer()
        for _ in 0..<2 { await world.faults.next(.dropAfter) }
        async let enrollment = world.authenticator.enroll(offer)
        for (pause, sent) in [(1_000, 1), (2_000, 2)] {
            await world.untilAsleep(for: .milliseconds(pause))
            world.clock.advance(by: .milliseconds(pause - 1))
            #expect(world.clock.sleepers == 1)
            #expect(await world.sent == sent)
            world.clock.advance(by: .milliseconds(1))
        }
        #expect(try await enrollment.state == .pending(.deviceToken))
        let commands = try await world.commands()
        #expect(commands.count == 4 + 2)
        #expect(commands[0] == commands[1] && commands[1] == commands[2])
        #expect(Set(commands).count == 4)
    }

    @Test func `after its last try a command isn't sent again`() async throws {
        let world = try World(tries: 2)
        let offer = try await world.offer()
        for _ in 0..<2 { await world.faults.next(.dropAfter) }
        async let enrollment = refusal { _ = try await world.authenticator.enroll(offer) }
        await world.untilAsleep(for: .seconds(1))
        world.clock.advance(by: .seconds(1))
        #expect(try await enrollment.code == .interrupted)
        #expect(await world.sent == 2)
        #expect(world.clock.sleepers == 0)
    }

    @Test func `a status that won't pass isn't asked for again`() async throws {
        let world = try World(tries: 3)
        let offer = try await world.offer()
        await world.simulator.force(status: 404)
        let error = try await refusal { _ = try await world.authenticator.enroll(offer) }
        #expect(error.code == .server(status: 404))
        #expect(await world.sent == 1)
    }

    @Test func `a fetch goes out again, while its request lasts`() async throws {
        let first = try World()
        try await first.activate()
        let world = try World(sharing: first, tries: 2)
        let (_, id) = try await world.login()
        await world.faults.next(.dropAfter)
        async let challenge = world.authenticator.challenge(id)
        await world.untilAsleep(for: .seconds(1))
        world.clock.advance(by: .seconds(1))
        #expect(try await challenge.fields.map(\.value) == ["Sign in to Example Bank"])
        let sent = try await world.commands().suffix(2)
        #expect(sent.first == sent.last)
    }

    // MARK: Replies that the app brings

    /// An app whose commands go nowhere.
    private func silent(_ world: World) async -> App {
        let app = App(world, carries: false)
        await app.listen()
        return app
    }

    @Test func `an activation waits two minutes for the app to bring a reply`() async throws {
        let app = await silent(try World(relays: false))
        async let activation: Void = app.activate()
        await app.diary.wait(for: .step)
        await app.world.untilAsleep(for: .seconds(120))
        app.world.clock.advance(by: .seconds(119))
        #expect(await app.diary.heard == [.step])
        app.world.clock.advance(by: .seconds(1))
        try await activation
        #expect(await app.diary.heard == [.step, .error(.noReply)])
        #expect(try await app.orchestrator.users().isEmpty)
    }

    @Test func `a fetch whose reply the app doesn't bring ends as outdated`() async throws {
        let app = await silent(try await World.activated(relays: false))
        await app.orchestrator.execute(try await app.pushed().0)
        await app.diary.wait(for: .step)
        await app.world.untilAsleep(for: .seconds(60))
        app.world.clock.advance(by: .seconds(60))
        await app.diary.wait(for: .outdated(.unknown))
        #expect(await app.diary.heard == [.step, .outdated(.unknown)])
    }

    @Test func `a registration waits five minutes, and isn't taken for done`() async throws {
        let app = await silent(try await World.activated(relays: false))
        async let registration: Void = app.register(StepDelegate(app), .fcm("another"))
        await app.diary.wait(for: .step)
        await app.world.untilAsleep(for: .seconds(300))
        app.world.clock.advance(by: .seconds(299))
        #expect(await app.diary.heard == [.step])
        app.world.clock.advance(by: .seconds(1))
        try await registration
        #expect(await app.diary.heard == [.step, .error(.noReply)])
    }

    @Test func `a reply that comes after the end is an error, and changes nothing`() async throws {
        let app = await silent(try World(relays: false))
        async let activation: Void = app.activate()
        await app.diary.wait(for: .step)
        await app.world.untilAsleep(for: .seconds(120))
        let command = try #require(await app.diary.commands.first)
        let late = try await app.exchange(command)
        app.world.clock.advance(by: .seconds(121))
        try await activation
        await app.orchestrator.execute(late)
        await app.diary.wait(for: .error(.unexpectedCommand))
        #expect(
            await app.diary.heard == [
                .step, .error(.noReply), .error(.unexpectedCommand),
            ])
        #expect(try await app.orchestrator.users().isEmpty)
    }
}

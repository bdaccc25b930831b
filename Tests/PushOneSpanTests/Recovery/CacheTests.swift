import Foundation
import HTTPTypes
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// What the plugin keeps in memory is a cache: dropped at any moment, nothing comes out otherwise.
@Suite(.timeLimit(.minutes(10))) struct CacheTests {
    /// What a user goes through, and what came of it.
    enum Story: String, CaseIterable, CustomTestStringConvertible {
        case activated, lostRegistration, changedPassword
        case deniedUnopened, wrongPassword, wrongPasswordThenNo, lostAnswer, atTheDoor

        var testDescription: String { rawValue }
    }

    @Test(arguments: Story.allCases)
    func `whatever is dropped at whichever moment, the same comes of it`(
        story: Story
    ) async throws {
        let told = try await CacheDropper.tell { try await tell(story, $0) }
        #expect(told.moments > 10)
        #expect(told.differences.isEmpty)
    }

    @Test func `where only executing a command tells what it is, too`() async throws {
        let told = try await CacheDropper.tell(tellHinted)
        #expect(told.outcome == ["delivered", "answered once"])
        #expect(told.moments > 10)
        #expect(told.differences.isEmpty)
    }

    private func tell(_ story: Story, _ dropper: CacheDropper) async throws -> [String] {
        let harness = try OneSpanHarness(dropping: dropper)
        if story == .activated {
            await dropper.watch(harness.provider.dropCaches)
            let enrollment = try await harness.activate()
            return [
                "\(enrollment.state)",
                "\(await harness.simulator.devices(of: OneSpanHarness.name).count)",
            ]
        }
        try await harness.activate()
        await dropper.watch(harness.provider.dropCaches)
        switch story {
        case .atTheDoor: return try await throughDoor(harness)
        case .lostRegistration: return try await registered(harness)
        case .changedPassword: return try await changed(harness)
        default: return try await answered(harness, story)
        }
    }

    private func answered(_ harness: OneSpanHarness, _ story: Story) async throws -> [String] {
        let (login, id) = try await harness.login()
        if story == .deniedUnopened {
            let outcome = try await harness.authenticator.deny(id)
            return ["\(outcome)", "\(try await harness.simulator.status(of: login.id))"]
        }
        var told: [String] = []
        let challenge = try await harness.authenticator.challenge(id)
        told += challenge.fields.map(\.value)
        let isWrong = story == .wrongPassword || story == .wrongPasswordThenNo
        if isWrong {
            await harness.user.type("000000", ScriptedUser.password)
            told.append("\(try await harness.authenticator.resolve(challenge, with: .approve))")
        }
        if story == .lostAnswer { await harness.gateway.loseReply(to: "23") }
        let outcome = try await harness.authenticator.resolve(
            challenge, with: story == .wrongPasswordThenNo ? .deny(.unexpected) : .approve)
        told.append("\(outcome)")
        if story == .lostAnswer {
            told += try await harness.authenticator.resume().values.map { "\($0)" }
        }
        told.append("\(try await harness.simulator.status(of: login.id))")
        return told
    }

    private func registered(_ harness: OneSpanHarness) async throws -> [String] {
        await harness.gateway.loseReply(to: "10")
        let token = DeviceToken.fcm("another")
        let failures = try await harness.authenticator.deviceTokenChanged(token)
        let again = try await harness.authenticator.deviceTokenChanged(token)
        _ = try await harness.login()
        return ["\(failures.count)", "\(again.count)", "\(try await harness.enrollment().state)"]
    }

    private func changed(_ harness: OneSpanHarness) async throws -> [String] {
        let new = "246802"
        try await harness.provider.workflows.changePassword(
            of: WorkflowAccount(try await harness.account()),
            from: Secret(Array(ScriptedUser.password.utf8)),
            to: Secret(Array(new.utf8)))
        await harness.user.type(new)
        return try await answered(harness, .changedPassword)
    }

    /// A wrong password, and then the right one.
    private func throughDoor(_ harness: OneSpanHarness) async throws -> [String] {
        let app = await OneSpanApp(harness)
        await harness.user.type("000000", ScriptedUser.password)
        let (command, login) = try await app.pushed()
        await app.door.execute(command)
        await app.wait(for: .success(.authentication, .accepted, token: false))
        let news = await app.news
        return news.map { "\($0)" } + ["\(try await harness.simulator.status(of: login.id))"]
    }

    private func tellHinted(_ dropper: CacheDropper) async throws -> [String] {
        let relay = StandInRelay()
        let environment = PushEnvironment(
            transport: SimulatedTransport { _, _ in (.init(status: .notFound), Data()) },
            store: DroppingStore(InMemoryStore(), dropper),
            verifier: DroppingUser(ScriptedUser(), dropper),
            clock: ManualClock(Date(timeIntervalSince1970: 1_767_225_000)),
            random: SeededRandom(seed: 1), device: Device(name: "Phone", platform: .android))
        let provider = OneSpan(
            engine: DroppingEngine(engine: StandInEngine(), dropper: dropper),
            relay: DroppingRelay(relay: relay, dropper: dropper),
            configuration: .init(identifiers: OpenNotificationIdentifiers()), in: environment)
        let authenticator = PushAuthenticator(try PluginRegistry([provider]), in: environment)
        try await authenticator.deviceTokenChanged(OneSpanHarness.token)
        let invitation = Invitation.credentials(user: "alice", password: Secret([0x41]))
        _ = try await authenticator.enroll(
            try #require(try authenticator.offers(for: invitation).first))
        await dropper.watch(provider.dropCaches)
        let trigger = try Binary().write(.init(verb: .trigger, flow: nil))
        let id = try #require(
            await authenticator.receive(PushMessage(text: trigger.hex, by: .scanned)).first?
                .challenge)
        let challenge = try await authenticator.challenge(id)
        let outcome = try await authenticator.resolve(challenge, with: .approve)
        let answers = await relay.sent.count { $0 == .answer(true) }
        return ["\(outcome)", answers == 1 ? "answered once" : "answered \(answers) times"]
    }
}

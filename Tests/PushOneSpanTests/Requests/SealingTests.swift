import PushCore
import PushTesting
import Testing

@testable import PushOneSpan

/// What is sealed is what was shown.
@Suite struct SealingTests {
    /// A request that is open, and a challenge for it that shows something else.
    private func altered(
        _ harness: OneSpanHarness, _ content: DisplayContent
    ) async throws -> (Announcement, Challenge) {
        let (_, id) = try await harness.login()
        let announcement = try await harness.authenticator.announcement(of: id)
        let challenge = try await harness.authenticator.challenge(id)
        let seen = try #require(challenge.details(as: OneSpanRequest.self))
        let request = OneSpanRequest(
            deviceID: seen.deviceID, requestID: seen.requestID, content: content,
            method: seen.method, validity: seen.validity)
        return (
            announcement,
            Challenge(
                for: announcement.notice, prompt: .approve,
                content: .init(details: request),
                verification: challenge.verification, context: announcement.context)
        )
    }

    @Test(arguments: [
        DisplayContent.text("Sign in to Another Bank"), .none,
        .fields([.init("", "Sign in to Example Bank")]),
    ])
    func `an approval of something else than is open seals nothing`(
        content: DisplayContent
    ) async throws {
        let harness = try await OneSpanHarness.activated()
        let (announcement, challenge) = try await altered(harness, content)
        let evidence = [Evidence.pin(Secret(Array(ScriptedUser.password.utf8)))]
        let account = try await harness.account()
        let sent = await harness.sent
        let error = try await refusal {
            _ = try await harness.provider.resolver.prepare(
                Decision(
                    announcement, .approve, challenge: challenge, evidence: evidence, extras: nil),
                of: account)
        }
        #expect(error.code == .over)
        #expect(await harness.sent == sent)
    }

    @Test func `what the app gave up is sealed no more, and what is sealed isn't given up`()
        async throws
    {
        let harness = try await OneSpanHarness.activated()
        let (_, id) = try await harness.login()
        let announcement = try await harness.authenticator.announcement(of: id)
        let account = try await harness.account()
        let permit = AnswerPermit()
        let denial = Decision(
            announcement, .deny(.unexpected), challenge: nil, evidence: [], extras: permit)
        #expect(await permit.withdraw())
        let error = try await refusal {
            _ = try await harness.provider.resolver.prepare(denial, of: account)
        }
        #expect(error.code == .cancelled)
        let free = AnswerPermit()
        _ = try await harness.provider.resolver.prepare(
            Decision(announcement, .deny(.unexpected), challenge: nil, evidence: [], extras: free),
            of: account)
        #expect(await !free.withdraw())
        await free.giveBack()
        #expect(await free.withdraw())
    }

    @Test func `an approval of what another plugin showed seals nothing`() async throws {
        let harness = try await OneSpanHarness.activated()
        let (_, id) = try await harness.login()
        let announcement = try await harness.authenticator.announcement(of: id)
        _ = try await harness.authenticator.challenge(id)
        let strange = Challenge(
            for: announcement.notice, prompt: .approve, content: .init(), verification: [],
            context: announcement.context)
        let account = try await harness.account()
        await #expect(throws: PushError.self) {
            try await harness.provider.resolver.prepare(
                Decision(
                    announcement, .approve, challenge: strange,
                    evidence: [.pin(Secret(Array(ScriptedUser.password.utf8)))], extras: nil),
                of: account)
        }
    }

    @Test func `commands of the uniform door take the relay, whatever delegates there are`()
        async throws
    {
        let harness = try await OneSpanHarness.activated()
        let app = await OneSpanApp(harness)
        let (_, id) = try await harness.login()
        let challenge = try await harness.authenticator.challenge(id)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await app.events.isEmpty)
        #expect(await harness.sent == 7)
    }

    @Test func `commands of the vendor's door take its delegate, whatever relay there is`()
        async throws
    {
        let harness = try await OneSpanHarness.activated()
        let app = await OneSpanApp(harness)
        let (command, _) = try await app.pushed()
        await app.door.execute(command)
        await app.wait(for: .success(.authentication, .accepted, token: false))
        #expect(await app.commands.count == 2)
        #expect(await harness.sent == 7)
    }
}

import PushCore
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// The server's one word for everything that it doesn't take, where nothing but the resolver reads it:
/// `docs/vendors/privacyidea.md#answers`.
@Suite struct RefusedAnswerTests {
    /// What the list says after `false`.
    enum List: Sendable { case has, lacks, isDamaged, isOut, isForbidden, isOfOtherKeys }

    @Test(
        arguments: [
            (.has, true, false, .wrongChoice), (.has, false, false, .other),
            (.has, true, true, .other), (.has, false, true, .other),
            (.lacks, true, false, .stateChanged), (.lacks, false, false, .stateChanged),
            (.lacks, true, true, nil), (.lacks, false, true, nil),
            (.isForbidden, true, false, .wrongChoiceOrOver),
            (.isForbidden, false, false, .stateChanged),
            (.isOfOtherKeys, true, false, .wrongChoiceOrOver),
            (.isOfOtherKeys, false, false, .stateChanged), (.isOfOtherKeys, false, true, nil),
            (.isForbidden, true, true, nil), (.isForbidden, false, true, nil),
            (.isDamaged, true, false, nil), (.isDamaged, false, false, nil),
            (.isDamaged, true, true, nil), (.isOut, true, false, nil),
            (.isOut, false, false, nil), (.isOut, true, true, nil), (.isOut, false, true, nil),
        ] as [(List, Bool, Bool, Outcome.Refusal.Reason?)])
    func `what false means follows from the list, the answer and earlier copies`(
        list: List, isChoice: Bool, again: Bool, why: Outcome.Refusal.Reason?
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let key = try harness.vectors.key("server")
        let signed = SignedChallenge(presence: isChoice ? "1,2" : nil)
        let challenge = try await harness.challenge(try signed.json(by: key))
        let announcement = Announcement(
            Notice(id: challenge.id, proof: .signature), context: challenge.context)
        let resolution: Resolution = isChoice ? .choose("1") : .approve
        let account = try await harness.accounts.existing(harness.id)
        let signing = try await harness.provider.resolver.prepare(
            Decision(announcement, resolution, challenge: challenge, evidence: [], extras: nil),
            of: account)
        let answer = try await account.signed(signing)
        switch list {
        case .has: await harness.server.list(try signed.json(by: key))
        case .lacks: await harness.server.list()
        case .isDamaged: await harness.server.list(["nonce": 7])
        case .isOut: await harness.server.replyAlways(to: .poll, .page(502))
        case .isOfOtherKeys: await harness.server.replyAlways(to: .poll, .error(400, 10))
        case .isForbidden: await harness.server.replyAlways(to: .poll, .error(403, 303))
        }
        await harness.server.reply(to: .answer, .value(false))
        let send: @Sendable () async throws -> Outcome = { [announcement] in
            var announcement = announcement
            return try await harness.provider.resolver.send(
                answer, for: &announcement, of: account, again: again)
        }
        // The decision stays, and the list is asked again.
        if list == .isDamaged || list == .isOut || list == .lacks && again {
            #expect(try await refusal { _ = try await send() }.code == .interrupted)
            return
        }
        let outcome =
            list == .lacks ? try await harness.passing(.seconds(6), while: send) : try await send()
        switch (outcome, why) {
        case (.notTaken(let refusal), let why?):
            #expect(refusal.reason == why && refusal.mayRetry == (list == .has))
            #expect(refusal.attemptsLeft == (why == .wrongChoice ? 2 : nil))
        case (.unknown, nil): break
        default: Issue.record("\(String(describing: why)) was expected, \(outcome) came.")
        }
    }
}

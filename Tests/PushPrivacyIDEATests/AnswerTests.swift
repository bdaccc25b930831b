import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// What a reply to an answer means: `docs/vendors/privacyidea.md#answers`.
@Suite struct AnswerTests {
    typealias Reply = ScriptedReply

    private func state(
        of challenge: Challenge, in harness: ScriptedHarness
    ) async throws -> ChallengeRecord.State? {
        try await harness.authenticator.record(of: challenge.id)?.state
    }

    @Test(arguments: [Resolution.approve, .deny(.unexpected), .deny(.ignore)])
    func `true is the server's word that it took the decision`(
        resolution: Resolution
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        let outcome = try await harness.authenticator.resolve(challenge, with: resolution)
        #expect(outcome == .delivered)
        #expect(await harness.sent(.poll).count == 1)
    }

    @Test(arguments: ["62", "007"])
    func `a code for the other screen is the user's to carry, leading zeros and all`(
        code: String
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.server.reply(
            to: .answer, .value(true, detail: ["display_code": .string(code), "message": "Type"]))
        #expect(
            try await harness.authenticator.resolve(challenge, with: .approve)
                == .code(code, message: "Type"))
    }

    @Test func `a code whose reply was lost is lost, and no other is asked for`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.faults.next(.dropAfter)
        let first = try await harness.authenticator.resolve(challenge, with: .approve)
        guard case .unknown = first else {
            Issue.record("The outcome is \(first).")
            return
        }
        await harness.server.list()
        #expect(try await harness.twiceResumed(challenge.id) == .ended)
        // No second copy went out, which would have got another code or none.
        #expect(await harness.sent(.answer).count == 1)
    }

    // MARK: False

    @Test func `a wrong option may be chosen again, three times in all`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let options: (inout SignedChallenge) -> Void = { $0.presence = "83,07,12" }
        var challenge = try await harness.challenge(options)
        await harness.server.replyAlways(to: .answer, .value(false))
        for left in [2, 1, 0] {
            let outcome = try await harness.authenticator.resolve(challenge, with: .choose("83"))
            #expect(
                outcome
                    == .notTaken(
                        .init(
                            .wrongChoice, mayRetry: true, attemptsLeft: left,
                            status: 200)))
            #expect(try await state(of: challenge, in: harness) == .open)
            challenge = try await harness.authenticator.challenge(challenge.id)
        }
        guard case .denyOnly = challenge.prompt else {
            Issue.record("A fourth option can be chosen.")
            return
        }
        await harness.server.replyAlways(to: .answer, nil)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .deny(.ignore)) == .delivered)
        let last = try await harness.lastForm(.answer)
        #expect(last["presence_answer"] == nil && last["decline"] == "1")
    }

    @Test(arguments: [Resolution.approve, .deny(.unexpected)])
    func `an answer that isn't taken while the challenge waits may be given again`(
        resolution: Resolution
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.server.reply(to: .answer, .value(false, detail: ["message": "Blocked"]))
        let outcome = try await harness.authenticator.resolve(challenge, with: resolution)
        #expect(outcome == .notTaken(.init(.other, mayRetry: true, status: 200)))
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test(arguments: [false, true])
    func `an answer that isn't taken once nothing waits came too late, nobody says why`(
        isChoice: Bool
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge { if isChoice { $0.presence = "1,2" } }
        await harness.server.list()
        await harness.server.reply(to: .answer, .value(false))
        let outcome = try await harness.passing(.seconds(6)) {
            try await harness.authenticator.resolve(
                challenge, with: isChoice ? .choose("1") : .approve)
        }
        #expect(outcome == .notTaken(.init(.stateChanged, mayRetry: false, status: 200)))
    }

    @Test(arguments: [Outcome.Refusal.Reason.stateChanged, .wrongChoiceOrOver])
    func `where the list can't be had, no more is said than is known`(
        why: Outcome.Refusal.Reason
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let isChoice = why == .wrongChoiceOrOver
        let challenge = try await harness.challenge { if isChoice { $0.presence = "1,2" } }
        await harness.server.reply(to: .answer, .value(false))
        await harness.server.reply(to: .poll, .error(403, 303))
        let outcome = try await harness.authenticator.resolve(
            challenge, with: isChoice ? .choose("1") : .approve)
        #expect(outcome == .notTaken(.init(why, mayRetry: false, status: 200)))
    }

    // MARK: Copies

    @Test func `after a lost reply the same bytes go out only while the server lists it`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.faults.next(.dropBefore)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(try await state(of: challenge, in: harness) == .decided(.approve))
        let outcomes = try await harness.authenticator.resume()
        #expect(outcomes[challenge.id] == .delivered)
        let sent = await harness.sent(.answer)
        #expect(sent == [try harness.vectors.request("accept")["body"]?.string])
    }

    @Test func `false to a copy says nothing of the first`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.faults.next(.dropAfter)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        await harness.server.reply(to: .answer, .value(false))
        let listed = try SignedChallenge().json(by: harness.vectors.key("server"))
        await harness.server.list()
        await harness.server.reply(to: .poll, .value([listed]))
        #expect(try await harness.twiceResumed(challenge.id) == .ended)
    }

    @Test func `no other decision is ever sent than the one on record`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.faults.next(.dropAfter)
        _ = try await harness.authenticator.resolve(challenge, with: .deny(.unexpected))
        let error = try await refusal {
            _ = try await harness.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .decidedOtherwise(.deny(.unexpected)))
        let sent = await harness.sent(.answer)
        #expect(sent.allSatisfy { FormText($0)?["decline"] == "1" })
    }

    // MARK: Errors

    @Test(arguments: [(404, 601), (404, -311)])
    func `a token that is gone ends the challenge, and must be enrolled again`(
        status: Int, code: Int64
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.server.reply(to: .answer, .error(status, code))
        let outcome = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(outcome == .notTaken(.init(.stateChanged, mayRetry: false, status: 404)))
        let enrollment = try await harness.authenticator.enrollment(harness.id)
        #expect(enrollment?.state == .needsReenrollment)
    }

    @Test(arguments: [
        Reply.page(302), .page(404), .page(403), .error(400, 10), .error(403, 303),
        .error(404, 905),
    ])
    func `what isn't the server's word on an answer leaves the decision on record`(
        reply: Reply
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.server.reply(to: .answer, reply)
        let error = try await refusal {
            _ = try await harness.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .server(status: reply.status))
        #expect(try await state(of: challenge, in: harness) == .decided(.approve))
        let enrollment = try await harness.authenticator.enrollment(harness.id)
        #expect(enrollment?.state == .active)
    }

    @Test(arguments: [
        Reply.error(500, -500), .page(502), .page(429), .page(200), .page(204), .value("true"),
        Reply(body: "{}"),
    ])
    func `trouble at the server is waited for`(reply: Reply) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.server.reply(to: .answer, reply)
        guard
            case .unknown = try await harness.authenticator.resolve(challenge, with: .approve)
        else {
            Issue.record("Nobody knows what the server did.")
            return
        }
        #expect(try await harness.authenticator.resume()[challenge.id] == .delivered)
    }

    // MARK: Prompts

    @Test func `options are never answered without a choice`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge { $0.presence = "83,07,12" }
        for resolution in [Resolution.approve, .choose("99"), .enter("83")] {
            _ = try await refusal {
                _ = try await harness.authenticator.resolve(challenge, with: resolution)
            }
            let announcement = Announcement(
                Notice(id: challenge.id, proof: .signature), context: challenge.context)
            let decision = Decision(
                announcement, resolution, challenge: challenge, evidence: [], extras: nil)
            _ = try await refusal {
                _ = try await harness.provider.resolver.prepare(
                    decision, of: harness.accounts.existing(harness.id))
            }
        }
        #expect(await harness.sent(.answer).isEmpty)
    }

    @Test func `a no to options has no option`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge { $0.presence = "83,07,12" }
        #expect(try await harness.authenticator.deny(challenge.id) == .delivered)
        let form = try await harness.lastForm(.answer)
        #expect(form["presence_answer"] == nil && form["decline_reason"] == "unknown_trigger")
    }

    @Test(
        arguments: [
            ("app_force_unlock", "biometric", [[.biometry]]),
            ("app_force_unlock", "pin", [[.deviceCredential], [.pin]]),
            ("app_force_unlock", "retina", [[.biometry], [.deviceCredential], [.pin]]),
            ("pin", "True", [[.biometry], [.deviceCredential], [.pin]]), ("pin", "False", []),
        ] as [(String, String, [[Factor]])])
    func `a code can ask for the unlocked app before a yes`(
        name: String, value: String, factors: [[Factor]]
    ) async throws {
        let harness = try await ScriptedHarness.enrolled(EnrollmentCode([name: value]))
        let challenge = try await harness.challenge()
        #expect(challenge.verification == factors)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(await harness.verifier.requests.count == (factors.isEmpty ? 0 : 1))
    }
}

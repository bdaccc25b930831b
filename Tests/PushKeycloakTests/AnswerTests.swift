import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushKeycloak

/// What a reply to an answer means: `docs/vendors/keycloak.md#answers`.
@Suite struct AnswerTests {
    typealias Reply = ScriptedReply

    private static let numbers: JSON = ["type": "number-match", "numbers": ["5", "34", "56"]]
    private static let pin: JSON = ["type": "pin", "pinLength": 4]

    @Test(arguments: [
        (Resolution.approve, "approve"), (.deny(.unexpected), "deny"), (.deny(.ignore), "deny"),
        (.deny(.custom("no")), "deny"),
    ])
    func `a yes or a no is delivered, and has nothing but its action`(
        resolution: Resolution, action: String
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        #expect(
            try await harness.authenticator.resolve(challenge, with: resolution) == .delivered)
        let claims = try #require(try await harness.tokens(.answer).first).claims
        let expected = try Vectors().object("answer")
            .with(["action": .string(action), "userVerification": nil])
        #expect(claims == expected)
    }

    @Test func `a PIN is what the user enters, leading zeros and all`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge(["type": "pin", "pinLength": 4])
        for wrong in [Resolution.approve, .enter("123"), .enter("12345"), .enter("12a4")] {
            let error = try await refusal {
                try await harness.authenticator.resolve(challenge, with: wrong)
            }
            #expect(error.code == .invalidResolution)
        }
        #expect(
            try await harness.authenticator.resolve(challenge, with: .enter("0071")) == .delivered)
        #expect(try await harness.tokens(.answer).map { $0.claims["userVerification"] } == ["0071"])
    }

    @Test func `a notice may be denied without being opened`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        _ = try await harness.authenticator.receive(harness.push())
        #expect(try await harness.authenticator.deny(harness.challengeID) == .delivered)
        #expect(await harness.exchanges(.list).isEmpty)
        #expect(try await harness.tokens(.answer).first?.claims["action"] == "deny")
    }

    @Test(
        arguments: [
            (Reply.refusal(400, "Challenge already resolved or expired"), Outcome.ended),
            (.refusal(404, "Challenge not found"), .ended),
            (.refusal(400, "authentication token expired"), .expired),
            (.refusal(409, "Challenge already resolved as DENIED"), .answeredElsewhere),
            (.refusal(409, "Challenge already resolved as APPROVED"), .ended),
            (.refusal(409, "Challenge already resolved as EXPIRED"), .ended),
            (
                .refusal(403, "Challenge mismatch"),
                .notTaken(.init(.other, mayRetry: false, status: 403))
            ),
            (
                .refusal(403, "Invalid authentication token signature"),
                .notTaken(.init(.other, mayRetry: false, status: 403))
            ),
            (
                .refusal(400, "Missing user verification"),
                .notTaken(.init(.other, mayRetry: true, status: 400))
            ),
            (
                .refusal(403, "Device not registered for user"),
                .notTaken(.init(.stateChanged, mayRetry: false))
            ),
        ])
    func `each documented refusal of a first yes has its outcome`(
        reply: Reply, outcome: Outcome
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.server.reply(to: .answer, reply)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == outcome)
    }

    @Test(
        arguments: [
            (Reply.refusal(400, "Challenge already resolved or expired"), Outcome.ended),
            (.refusal(404, "Challenge not found"), .ended),
            (.refusal(400, "authentication token expired"), .ended),
            (.refusal(409, "Challenge already resolved as APPROVED"), .answeredElsewhere),
            (.word("denied"), .delivered),
        ])
    func `what a copy of a no hears is no word against the first`(
        reply: Reply, outcome: Outcome
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.faults.next(.dropAfter) { ScriptedServer.Kind($0) == .answer }
        _ = try await harness.authenticator.resolve(challenge, with: .deny(.unexpected))
        await harness.server.reply(to: .answer, reply)
        #expect(try await harness.authenticator.resume()[challenge.id] == outcome)
    }

    @Test func `a copy has the same claims, and a proof of its own`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge(Self.numbers)
        await harness.faults.next(.dropAfter) { ScriptedServer.Kind($0) == .answer }
        _ = try await harness.authenticator.resolve(challenge, with: .choose("34"))
        let later = try await ScriptedHarness(sharing: harness)
        // The lease of the process that is gone runs out.
        later.clock.advance(by: .seconds(60))
        #expect(try await later.authenticator.resume()[challenge.id] == .delivered)
        #expect(
            try await later.tokens(.answer).first?.claims
                == (try await harness.tokens(.answer).first?.claims))
        let proofs = [
            await harness.exchanges(.answer).first?.request,
            await later.exchanges(.answer).first?.request,
        ].map { $0?.headerFields[.init("DPoP") ?? .authorization] }
        #expect(proofs[0] != nil && proofs[0] != proofs[1])
    }

    @Test func `a realm that is busy is asked again, with the same answer`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.server.reply(
            to: .answer, .refusal(409, "Challenge is currently being resolved"))
        _ = try? await harness.authenticator.resolve(challenge, with: .approve)
        #expect(try await harness.state(of: challenge.id) == .decided(.approve))
        #expect(try await harness.authenticator.resume()[challenge.id] == .delivered)
    }

    @Test(arguments: [(503, "temporarily_unavailable"), (400, "invalid_request"), (401, "x")])
    func `trouble at the token endpoint is no copy of an answer`(
        status: Int, text: String
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        // The first token's time is over.
        harness.clock.advance(by: .seconds(200))
        harness.clock.advance(by: .seconds(100))
        await harness.server.reply(to: .token, .refusal(status, text))
        _ = try? await harness.authenticator.resolve(challenge, with: .approve)
        #expect(await harness.exchanges(.answer).isEmpty)
        // After a copy that may have been taken it would be `ended`.
        await harness.server.reply(to: .answer, .refusal(400, "authentication token expired"))
        #expect(try await harness.authenticator.resume()[challenge.id] == .expired)
    }

    // MARK: Wrong numbers

    @Test func `a wrong PIN leaves the challenge open, and the right one is taken`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge(Self.pin)
        await harness.server.reply(to: .answer, .refusal(403, "User verification mismatch"))
        #expect(
            try await harness.authenticator.resolve(challenge, with: .enter("0005"))
                == .notTaken(
                    .init(
                        .wrongChoice, mayRetry: true, appliesToAllCopies: true, attemptsLeft: 2,
                        status: 403)))
        #expect(try await harness.state(of: challenge.id) == .open)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .enter("0034")) == .delivered)
    }

    @Test func `after a lost reply a wrong number frees the challenge as well`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge(Self.numbers)
        await harness.faults.next(.dropBefore) { ScriptedServer.Kind($0) == .answer }
        _ = try await harness.authenticator.resolve(challenge, with: .choose("5"))
        await harness.server.reply(to: .answer, .refusal(403, "User verification mismatch"))
        _ = try await harness.authenticator.resume()
        #expect(try await harness.state(of: challenge.id) == .open)
    }

    @Test(
        arguments: [
            (numbers, .choose("5"), [0]), (pin, .enter("0005"), [2, 1, 0]),
        ] as [(JSON, Resolution, [Int])])
    func `after a wrong number, or three wrong PINs, it can only be denied`(
        verification: JSON, wrong: Resolution, attempts: [Int]
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let seen = try await harness.challenge(verification)
        var challenge = seen
        await harness.server.replyAlways(to: .answer, .refusal(403, "User verification mismatch"))
        for left in attempts {
            guard
                case .notTaken(let refusal) = try await harness.authenticator.resolve(
                    challenge, with: wrong)
            else {
                Issue.record("A wrong number was taken.")
                return
            }
            #expect(refusal.attemptsLeft == left)
            challenge = try await harness.authenticator.challenge(challenge.id)
        }
        guard case .denyOnly = challenge.prompt else {
            Issue.record("Another one can be tried.")
            return
        }
        await harness.server.replyAlways(to: .answer, nil)
        // Nor by what the user saw before.
        for old in [seen, challenge] {
            _ = try await refusal { try await harness.authenticator.resolve(old, with: wrong) }
        }
        #expect(await harness.exchanges(.answer).count == attempts.count)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .deny(.ignore)) == .delivered)
    }

    @Test func `no other decision is ever sent than the one on record`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.faults.next(.dropAfter) { ScriptedServer.Kind($0) == .answer }
        _ = try await harness.authenticator.resolve(challenge, with: .deny(.unexpected))
        let error = try await refusal {
            try await harness.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .decidedOtherwise(.deny(.unexpected)))
        #expect(try await harness.tokens(.answer).allSatisfy { $0.claims["action"] == "deny" })
    }
}

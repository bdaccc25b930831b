import PushCore
import PushTesting
import Testing

@testable import PushKeycloak

/// What a realm's list brings, and what its silence means.
@Suite struct ListTests {
    private let listed: JSON.Object

    init() throws { listed = try Vectors().object("listed") }

    private func listing(
        _ changes: [String: JSON?] = [:]
    ) async throws -> ScriptedHarness {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.list(listed.with(changes))
        return harness
    }

    private func opened(_ harness: ScriptedHarness) async throws -> Challenge {
        _ = try await harness.authenticator.pending(for: harness.id)
        return try await harness.authenticator.challenge(harness.challengeID)
    }

    @Test func `a listed challenge shows user and application`() async throws {
        let harness = try await listing()
        let challenge = try await opened(harness)
        #expect(challenge.shown.map(\.description) == ["User: jane", "Application: Test App"])
        let details = try #require(challenge.details(as: KeycloakChallenge.self))
        #expect(details.cid == harness.challengeID.name && details.clientId == "test-app")
        #expect(details.createdAt == Sample.now && details.expiresAt == Sample.end)
    }

    @Test(arguments: [.null, "", "\u{200B}"] as [JSON])
    func `without a name that is seen the application is its identifier`(
        name: JSON
    ) async throws {
        let challenge = try await opened(try await listing(["clientName": name]))
        #expect(challenge.origin.application == "test-app")
        #expect(challenge.prompt == .choose(["5", "34", "56"]))
    }

    // MARK: Prompts

    @Test(
        arguments: [
            (nil, .approve), (.null, .approve),
            (["type": "number-match", "numbers": ["5", "34", "56"]], .choose(["5", "34", "56"])),
            (["type": "number_match", "numbers": ["0", "99", "10"]], .choose(["0", "99", "10"])),
            (["type": "pin", "pinLength": 1], .enter(digits: 1)),
            (["type": "pin", "pinLength": 12], .enter(digits: 12)),
        ] as [(JSON?, Challenge.Prompt)])
    func `each kind of question has its prompt`(
        verification: JSON?, prompt: Challenge.Prompt
    ) async throws {
        let challenge = try await opened(try await listing(["userVerification": verification]))
        #expect(challenge.prompt == prompt)
    }

    @Test(
        arguments: [
            "number-match", true, 7, [:], ["type": "face"], ["type": "pin"],
            ["type": "pin", "pinLength": 0], ["type": "pin", "pinLength": 13],
            ["type": "pin", "pinLength": "4"], ["type": "number-match"],
            ["type": "number-match", "numbers": ["5", "34"]],
            ["type": "number-match", "numbers": ["5", "34", "34"]],
            ["type": "number-match", "numbers": ["5", "34", "56", "7"]],
            ["type": "number-match", "numbers": ["5", "34", "05"]],
            ["type": "number-match", "numbers": ["5", "34", "100"]],
            ["type": "number-match", "numbers": ["5", "34", ""]],
            ["type": "number-match", "numbers": ["5", "34", 56]],
            ["type": "Number-Match", "numbers": ["5", "34", "56"]],
        ] as [JSON])
    func `what isn't understood can only be denied`(verification: JSON) async throws {
        let harness = try await listing(["userVerification": verification])
        let challenge = try await opened(harness)
        guard case .denyOnly = challenge.prompt else {
            Issue.record("It can be answered with \(challenge.prompt).")
            return
        }
        let error = try await refusal {
            try await harness.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .unsupported)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .deny(.unexpected))
                == .delivered)
        #expect(try await harness.tokens(.answer).first?.claims["userVerification"] == nil)
    }

    @Test(
        arguments: [
            ["clientName": long], ["username": long], ["username": nil], ["username": ""],
            ["username": "\u{200B} "], ["clientName": " ", "clientId": "\u{2800}"],
        ] as [[String: JSON?]])
    func `what is too long to show, or shows nothing, can only be denied`(
        changes: [String: JSON?]
    ) async throws {
        let challenge = try await opened(try await listing(changes))
        guard case .denyOnly = challenge.prompt else {
            Issue.record("It can be answered with \(challenge.prompt).")
            return
        }
    }

    private static let long = JSON.string(String(repeating: "x", count: 5000))

    @Test func `one challenge with two questions is refused, and the first one stays`()
        async throws
    {
        let harness = try await listing()
        _ = try await harness.authenticator.pending(for: harness.id)
        await harness.server.list(listed.with(["userVerification": nil]))
        let error = try await refusal {
            try await harness.authenticator.challenge(harness.challengeID)
        }
        #expect(error.code == .untrusted)
        _ = try? await harness.authenticator.pending(for: harness.id)
        await harness.server.list(listed)
        let challenge = try await harness.authenticator.challenge(harness.challengeID)
        #expect(challenge.prompt == .choose(["5", "34", "56"]))
    }

    // MARK: Entries

    @Test(
        arguments: [
            ["cid": nil], ["cid": "1"], ["cid": "../x"], ["userId": nil], ["userId": "somebody"],
            ["clientId": nil], ["clientId": ""], ["clientName": 7], ["username": ["x"]],
            ["expiresAt": nil], ["expiresAt": "1760000240"], ["expiresAt": -1],
            ["expiresAt": 9_007_199_254_740_990], ["createdAt": "x"],
        ] as [[String: JSON?]])
    func `an entry that can't be read is left out, and ends nothing`(
        changes: [String: JSON?]
    ) async throws {
        let harness = try await listing()
        _ = try await harness.authenticator.pending(for: harness.id)
        let second = listed.with(["cid": "2a6d6a0b-3385-4772-8eb8-0d2f4dbd25a4"])
        await harness.server.list(listed.with(changes), second)
        let found = try await harness.authenticator.pending(for: harness.id)
        #expect(found.map(\.isNew) == [true])
        #expect(try await harness.state(of: harness.challengeID) == .open)
        #expect(harness.observer.observations.contains { $0.enrollment == harness.id })
        let error = try await refusal {
            try await harness.authenticator.challenge(harness.challengeID)
        }
        #expect(error.code == .malformed && error.ends == nil)
    }

    @Test func `a list may lack createdAt, as before 1.8`() async throws {
        let challenge = try await opened(try await listing(["createdAt": nil]))
        #expect(challenge.details(as: KeycloakChallenge.self)?.createdAt == nil)
    }

    // MARK: What it lacks

    @Test func `one list that lacks a challenge ends nothing, a second one does`() async throws {
        let harness = try await listing()
        _ = try await harness.authenticator.pending(for: harness.id)
        await harness.server.reply(to: .list, .json(["challenges": []]))
        _ = try await harness.authenticator.pending(for: harness.id)
        #expect(try await harness.state(of: harness.challengeID) == .open)
        await harness.server.list()
        _ = try await harness.authenticator.pending(for: harness.id)
        guard case .over(let withdrawal)? = try await harness.state(of: harness.challengeID) else {
            Issue.record("It is open still.")
            return
        }
        #expect(withdrawal.reason == .unknown)
    }

    @Test func `what a list lacks isn't opened, and waits until another list lacks it`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        _ = try await harness.authenticator.receive(harness.push())
        let error = try await refusal {
            try await harness.authenticator.challenge(harness.challengeID)
        }
        #expect(error.code == .over && error.ends == nil)
        #expect(try await harness.state(of: harness.challengeID) == .open)
        // What was pushed just now may not be on record yet.
        harness.clock.advance(by: .seconds(31))
        _ = try await harness.authenticator.pending(for: harness.id)
        guard case .over? = try await harness.state(of: harness.challengeID) else {
            Issue.record("It is open still.")
            return
        }
    }

    @Test(arguments: [
        ScriptedReply.page(200), .page(404), .json([:]), .json(["challenges": [:]]),
        .refusal(403, "Forbidden"), .refusal(404, "Device not registered for user"),
    ])
    func `a reply that is no list closes nothing`(reply: ScriptedReply) async throws {
        let harness = try await listing()
        _ = try await harness.authenticator.receive(harness.push())
        await harness.server.replyAlways(to: .list, reply)
        let error = try await refusal {
            try await harness.authenticator.challenge(harness.challengeID)
        }
        #expect(error.code == (reply.status == 200 ? .interrupted : .server(status: reply.status)))
        #expect(try await harness.state(of: harness.challengeID) == .open)
        #expect(try await harness.authenticator.enrollment(harness.id)?.state == .active)
    }

    // MARK: A device that is gone

    @Test(arguments: [(403, "Device not registered for user"), (404, "User not found")])
    func `a device that the realm no longer knows has nothing open, and must enroll again`(
        status: Int, text: String
    ) async throws {
        let harness = try await listing()
        let challenge = try await opened(harness)
        await harness.server.replyAlways(to: .list, .refusal(status, text))
        let error = try await refusal { try await harness.authenticator.challenge(challenge.id) }
        #expect(error.code == .unknownEnrollment)
        let enrollment = try await harness.authenticator.enrollment(harness.id)
        #expect(enrollment?.state == .needsReenrollment)
        guard case .over? = try await harness.state(of: challenge.id) else {
            Issue.record("It is open still.")
            return
        }
        await harness.server.replyAlways(to: .list, nil)
        #expect(try await harness.authenticator.refresh(harness.id).state == .active)
    }

    @Test func `a list says what a push doesn't, and both are one challenge`() async throws {
        let harness = try await listing()
        _ = try await harness.authenticator.receive(harness.push())
        #expect(try await harness.authenticator.pending(for: harness.id).map(\.isNew) == [false])
        let record = try #require(
            try await harness.authenticator.record(of: harness.challengeID))
        #expect(record.notice.proof == .signature)
        #expect(
            try await harness.authenticator.challenge(harness.challengeID).prompt
                == .choose(["5", "34", "56"]))
    }
}

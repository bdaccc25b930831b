import PushCore
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// Later processes, other instances, and servers of other generations.
@Suite struct ProcessTests {
    @Test func `a later process opens and answers what an earlier one received`() async throws {
        let world = try await World.enrolled()
        let signed = SignedChallenge(presence: "83,07,12")
        let json = try signed.json(by: world.vectors.key("server"))
        _ = try await world.authenticator.receive(try PushMessage(json: json.data))
        let later = try await World(sharing: world)
        await later.server.list(json)
        let record = try #require(try await later.authenticator.records().first)
        let challenge = try await later.authenticator.challenge(record.id)
        #expect(challenge.prompt == .choose(["83", "07", "12"]))
        #expect(
            try await later.authenticator.resolve(challenge, with: .choose("07")) == .delivered)
    }

    @Test func `a process that was killed after its decision sends the same bytes again`()
        async throws
    {
        let world = try await World.enrolled()
        let challenge = try await world.challenge()
        await world.faults.next(.refuse)
        _ = try await world.authenticator.resolve(challenge, with: .deny(.unexpected))
        let later = try await World(sharing: world)
        await later.server.list(try SignedChallenge().json(by: world.vectors.key("server")))
        // The lease of the process that is gone runs out.
        later.clock.advance(by: .seconds(60))
        let outcomes = try await later.authenticator.resume()
        #expect(outcomes[challenge.id] == .delivered)
        let expected = try world.vectors.request("decline, not me")["body"]?.string
        #expect(await later.sent(.answer) == [expected])
    }

    @Test func `how many options were tried is known to a later process`() async throws {
        let world = try await World.enrolled()
        let signed = SignedChallenge(presence: "83,07,12")
        let json = try signed.json(by: world.vectors.key("server"))
        let challenge = try await world.challenge(json)
        await world.server.replyAlways(to: .answer, .value(false))
        for _ in 0..<2 {
            _ = try await world.authenticator.resolve(challenge, with: .choose("83"))
        }
        let later = try await World(sharing: world)
        await later.server.list(json)
        await later.server.replyAlways(to: .answer, .value(false))
        let again = try await later.authenticator.challenge(challenge.id)
        let outcome = try await later.authenticator.resolve(again, with: .choose("12"))
        #expect(
            outcome
                == .notTaken(.init(.wrongChoice, mayRetry: true, attemptsLeft: 0, status: 200)))
    }

    @Test func `a no that stays listed, as before 3.10, isn't asked again`() async throws {
        let world = try await World.enrolled()
        let challenge = try await world.challenge { $0.capabilities = nil }
        #expect(
            try await world.authenticator.resolve(challenge, with: .deny(.unexpected))
                == .delivered)
        let found = try await world.authenticator.pending(for: world.id)
        #expect(found.map(\.isNew) == [false])
        guard case .answered? = found.first?.kind else {
            Issue.record("It is open again.")
            return
        }
        let error = try await refused {
            _ = try await world.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .decidedOtherwise(.deny(.unexpected)))
        #expect(await world.sent(.answer).count == 1)
    }

    @Test func `a copy that is taken again, as before 3.14, is delivered`() async throws {
        let world = try await World.enrolled()
        let challenge = try await world.challenge { $0.capabilities = nil }
        await world.faults.next(.dropAfter)
        _ = try await world.authenticator.resolve(challenge, with: .approve)
        #expect(try await world.authenticator.resume()[challenge.id] == .delivered)
        let sent = await world.sent(.answer)
        #expect(sent.count == 2 && sent.first == sent.last)
    }

    @Test func `of a replaced token no old key is remembered`() async throws {
        let world = try await World.enrolled()
        _ = try await world.challenge()
        let key = try world.vectors.text("keys", "otherServer", "pkcs1")
        await world.server.setKey(key, of: "pi.example.com")
        let credential = String(repeating: "a", count: 40)
        try await world.enroll(EnrollmentCode(["enrollment_credential": credential]))
        let signed = SignedChallenge(nonce: "NEW")
        let old = try signed.message(by: world.vectors.key("server"))
        #expect(
            try await refused { _ = try await world.authenticator.receive(old) }.code == .untrusted)
        await world.provider.dropCaches()
        let new = try signed.message(by: world.vectors.key("otherServer"))
        #expect(try await world.authenticator.receive(new).map(\.isNew) == [true])
    }
}

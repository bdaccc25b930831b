import PushCore
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// Later processes, other instances, and servers of other generations.
@Suite struct ProcessTests {
    @Test func `a later process opens and answers what an earlier one received`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let signed = SignedChallenge(presence: "83,07,12")
        let json = try signed.json(by: harness.vectors.key("server"))
        _ = try await harness.authenticator.receive(try PushMessage(json: json.data))
        let later = try await ScriptedHarness(sharing: harness)
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
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.faults.next(.refuse)
        _ = try await harness.authenticator.resolve(challenge, with: .deny(.unexpected))
        let later = try await ScriptedHarness(sharing: harness)
        await later.server.list(try SignedChallenge().json(by: harness.vectors.key("server")))
        // The lease of the process that is gone runs out.
        later.clock.advance(by: .seconds(60))
        let outcomes = try await later.authenticator.resume()
        #expect(outcomes[challenge.id] == .delivered)
        let expected = try harness.vectors.request("decline, not me")["body"]?.string
        #expect(await later.sent(.answer) == [expected])
    }

    @Test
    func `an answer whose reply was lost ends unknown where nobody may poll, and isn't copied`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.server.replyAlways(to: .poll, .error(403, 303))
        await harness.faults.next(.dropAfter)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        let later = try await ScriptedHarness(sharing: harness)
        await later.server.replyAlways(to: .poll, .error(403, 303))
        // The lease of the process that is gone runs out.
        later.clock.advance(by: .seconds(60))
        guard case .unknown? = try await later.authenticator.resume()[challenge.id] else {
            Issue.record("Nobody can know what became of it.")
            return
        }
        #expect(await later.sent(.answer).isEmpty)
        let error = try await refusal { _ = try await later.authenticator.deny(challenge.id) }
        #expect(error.code == .decidedOtherwise(.approve))
    }

    @Test func `how many options were tried is known to a later process`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let signed = SignedChallenge(presence: "83,07,12")
        let json = try signed.json(by: harness.vectors.key("server"))
        let challenge = try await harness.challenge(json)
        await harness.server.replyAlways(to: .answer, .value(false))
        for _ in 0..<2 {
            _ = try await harness.authenticator.resolve(challenge, with: .choose("83"))
        }
        let later = try await ScriptedHarness(sharing: harness)
        await later.server.list(json)
        await later.server.replyAlways(to: .answer, .value(false))
        let again = try await later.authenticator.challenge(challenge.id)
        let outcome = try await later.authenticator.resolve(again, with: .choose("12"))
        #expect(
            outcome
                == .notTaken(
                    .init(
                        .wrongChoice, mayRetry: true, attemptsLeft: 0,
                        status: 200)))
    }

    @Test func `a no that stays listed, as before 3.10, isn't asked again`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge { $0.capabilities = nil }
        #expect(
            try await harness.authenticator.resolve(challenge, with: .deny(.unexpected))
                == .delivered)
        let found = try await harness.authenticator.pending(for: harness.id)
        #expect(found.map(\.isNew) == [false])
        guard case .answered? = found.first?.kind else {
            Issue.record("It is open again.")
            return
        }
        let error = try await refusal {
            _ = try await harness.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .decidedOtherwise(.deny(.unexpected)))
        #expect(await harness.sent(.answer).count == 1)
    }

    @Test func `a copy that is taken again, as before 3.14, is delivered`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge { $0.capabilities = nil }
        await harness.faults.next(.dropAfter)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(try await harness.authenticator.resume()[challenge.id] == .delivered)
        let sent = await harness.sent(.answer)
        #expect(sent.count == 2 && sent.first == sent.last)
    }

    @Test func `of a replaced token no old key is remembered`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        _ = try await harness.challenge()
        let key = try harness.vectors.text("keys", "otherServer", "pkcs1")
        await harness.server.setKey(key, of: "pi.example.com")
        let credential = String(repeating: "a", count: 40)
        try await harness.enroll(EnrollmentCode(["enrollment_credential": credential]))
        let signed = SignedChallenge(nonce: "NEW")
        let old = try signed.message(by: harness.vectors.key("server"))
        #expect(
            try await refusal { _ = try await harness.authenticator.receive(old) }.code
                == .untrusted)
        await harness.provider.dropCaches()
        let new = try signed.message(by: harness.vectors.key("otherServer"))
        #expect(try await harness.authenticator.receive(new).map(\.isNew) == [true])
    }
}

import HTTPTypes
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// One challenge, announced by push and by the list with different words, as before 3.14:
/// `docs/vendors/privacyidea.md#polling`.
@Suite struct TwoTextsTests {
    private let pushed = SignedChallenge(
        question: "Log in from 203.0.113.7?", url: "https://pi.example.com/old/push",
        capabilities: nil)
    private let listed = SignedChallenge(
        question: "Log in from ?", url: "https://pi.example.com/new/push", capabilities: nil)

    private var id: Challenge.ID {
        Challenge.ID(
            pushed.nonce,
            of: Enrollment.ID("PIPU0001ABCD@https://pi.example.com", of: "privacyidea"))
    }

    private func push(_ challenge: SignedChallenge, in harness: ScriptedHarness) async throws {
        let message = try challenge.message(by: harness.vectors.key("server"))
        #expect(try await harness.authenticator.receive(message).map(\.challenge) == [id])
    }

    private func list(_ challenge: SignedChallenge, in harness: ScriptedHarness) async throws {
        await harness.server.list(try challenge.json(by: harness.vectors.key("server")))
        let found = try await harness.authenticator.pending(for: harness.id)
        #expect(found.map(\.challenge) == [id])
    }

    private func notice(in harness: ScriptedHarness) async throws -> Notice? {
        try await harness.authenticator.record(of: id)?.notice
    }

    /// Where a denial goes that opens nothing first.
    private func path(ofDenialIn harness: ScriptedHarness) async throws -> String? {
        _ = try await harness.authenticator.deny(id)
        return await harness.transport.exchanges.last?.request.path
    }

    @Test func `the push's text stays where the list has another one, and the newest URL counts`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        try await push(pushed, in: harness)
        try await list(listed, in: harness)
        #expect(try await notice(in: harness)?.body == "Log in from 203.0.113.7?")
        #expect(try await path(ofDenialIn: harness) == "/new/push")
    }

    @Test func `a push's text takes the place of the list's, and so does its URL`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        try await list(listed, in: harness)
        try await push(pushed, in: harness)
        #expect(try await notice(in: harness)?.body == "Log in from 203.0.113.7?")
        let later = SignedChallenge(question: "Later", url: pushed.url, capabilities: nil)
        try await push(later, in: harness)
        #expect(try await notice(in: harness)?.body == "Log in from 203.0.113.7?")
        #expect(try await path(ofDenialIn: harness) == "/old/push")
    }

    @Test func `the list's text stays where no push comes, and fills one without words`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        try await push(SignedChallenge(question: "", title: ""), in: harness)
        #expect(try await notice(in: harness)?.title == nil)
        try await list(listed, in: harness)
        try await list(SignedChallenge(question: "Other"), in: harness)
        #expect(try await notice(in: harness)?.body == "Log in from ?")
    }

    @Test func `a push without words takes no text away`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        try await list(listed, in: harness)
        try await push(SignedChallenge(question: "", title: ""), in: harness)
        #expect(try await notice(in: harness)?.body == "Log in from ?")
        // The one that has some still counts more.
        try await push(pushed, in: harness)
        #expect(try await notice(in: harness)?.body == "Log in from 203.0.113.7?")
    }

    @Test func `a push that leads to another origin changes no address`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        try await list(listed, in: harness)
        let moved = SignedChallenge(url: "https://evil.example.com/new/push")
        let message = try moved.message(by: harness.vectors.key("server"))
        let error = try await refusal { _ = try await harness.authenticator.receive(message) }
        #expect(error.code == .untrusted && error.reason.contains("origin"))
        #expect(try await path(ofDenialIn: harness) == "/new/push")
    }

    @Test func `a text that can't be shown whole counts only if it is the one shown`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        let endless = SignedChallenge(question: String(repeating: "x", count: 2049))
        try await list(endless, in: harness)
        guard case .denyOnly = try await harness.authenticator.challenge(id).prompt else {
            Issue.record("What isn't shown can be approved.")
            return
        }
        try await push(SignedChallenge(), in: harness)
        #expect(try await harness.authenticator.challenge(id).prompt == .approve)
    }

    @Test func `the reasons are those that the newest announcement has signed`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        try await push(SignedChallenge(), in: harness)
        try await list(listed, in: harness)
        _ = try await harness.authenticator.deny(id)
        #expect(try await harness.lastForm(.answer)["decline_reason"] == nil)
    }

    @Test(
        arguments: [
            (nil, "1,2"), ("1,2", nil), ("1,2", "2,1"), ("é,2", "e\u{301},2"),
        ] as [(String?, String?)])
    func `one challenge with two prompts is refused, and the first one stays`(
        first: String?, second: String?
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let key = try harness.vectors.key("server")
        try await push(SignedChallenge(presence: first), in: harness)
        let other = SignedChallenge(presence: second)
        let message = try other.message(by: key)
        var error = try await refusal { _ = try await harness.authenticator.receive(message) }
        #expect(error.code == .untrusted)
        await harness.server.list(try other.json(by: key))
        #expect(try await harness.authenticator.pending(for: harness.id).isEmpty)
        error = try await refusal { _ = try await harness.authenticator.challenge(id) }
        #expect(error.code == .untrusted)
        await harness.server.list(try SignedChallenge(presence: first).json(by: key))
        let prompt = try await harness.authenticator.challenge(id).prompt
        let options = first?.split(separator: ",").map(String.init)
        #expect(prompt == options.map(Challenge.Prompt.choose) ?? .approve)
    }
}

import PushCore
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// Every push of the examples, good and bad, with one token and beside others:
/// `docs/vendors/privacyidea.md#the-challenge`.
@Suite struct PushTests {
    /// One token; or three: another server's of the same serial, and another serial's of the same
    /// server, with a server key of its own.
    private func harness(_ tokens: Int) async throws -> ScriptedHarness {
        let harness = try await ScriptedHarness()
        if tokens > 1 {
            let url = "https%3A//other.example.com/ttype/push"
            try await harness.enroll(EnrollmentCode(["url": url]))
            let key = try harness.vectors.text("keys", "otherServer", "pkcs1")
            await harness.server.setKey(key, of: "pi.example.com")
            try await harness.enroll(EnrollmentCode(["serial": "PIPU0002ABCD"]))
            await harness.server.setKey(
                try harness.vectors.text("keys", "server", "pkcs1"), of: "pi.example.com")
        }
        try await harness.enroll()
        return harness
    }

    /// What a push's expectation says of the prompt; `nil` if it must come to nothing.
    private static func prompt(of vector: PushVector) -> Challenge.Prompt? {
        if vector.expected.hasPrefix("approve") { return .approve }
        if vector.expected.hasPrefix("choose"), let presence = vector.data["require_presence"] {
            return .choose(presence.string?.split(separator: ",").map(String.init) ?? [])
        }
        return nil
    }

    private static func reasons(of vector: PushVector) -> Set<PrivacyIDEA.DeclineReason>? {
        if vector.expected.contains("no reasons") { return [] }
        if vector.expected.contains("reason cancelled only") { return [.cancelled] }
        return vector.expected.contains("reasons allowed") ? [.unknownTrigger, .cancelled] : nil
    }

    private func expectChallenge(
        _ vector: PushVector, _ announcement: Announcement, in harness: ScriptedHarness
    ) async throws {
        var announcement = announcement
        let context = try announcement.note
        let notice = announcement.notice
        #expect(notice.id == Challenge.ID(vector.data["nonce"]?.string ?? "", of: harness.id))
        #expect(notice.proof == .signature)
        #expect(notice.expiry == nil && notice.issued == nil)
        #expect(context.url.text == vector.data["url"]?.string)
        if let reasons = Self.reasons(of: vector) { #expect(context.reasons == reasons) }
        await harness.server.list(vector.data)
        let challenge = try await harness.provider.resolver.challenge(
            for: &announcement, of: harness.accounts.existing(harness.id))
        if vector.expected.hasPrefix("deny only") {
            guard case .denyOnly = challenge.prompt else {
                Issue.record("It can be answered with \(challenge.prompt).")
                return
            }
        } else {
            #expect(challenge.prompt == Self.prompt(of: vector))
        }
    }

    @Test func `there are 15 good pushes and 50 bad ones`() {
        #expect(PushVector.good.count == 15)
        #expect(PushVector.bad.count == 50)
    }

    @Test(arguments: PushVector.good, [1, 3])
    func `a good push announces its challenge`(vector: PushVector, tokens: Int) async throws {
        let harness = try await harness(tokens)
        let candidate = try #require(harness.provider.candidate(in: try vector.message()))
        guard case .notice(let announcement) = try await candidate.verified(with: harness.accounts)
        else {
            Issue.record("A good push is a notice.")
            return
        }
        try await expectChallenge(vector, announcement, in: harness)
    }

    @Test(arguments: PushVector.good)
    func `a good entry of a list announces its challenge`(vector: PushVector) async throws {
        let harness = try await harness(3)
        await harness.server.list(vector.data)
        let pending = try await harness.provider.resolver.pending(
            of: harness.accounts.existing(harness.id), after: nil)
        #expect(pending.isComplete)
        try await expectChallenge(vector, #require(pending.announcements.first), in: harness)
    }

    @Test(arguments: PushVector.bad, [1, 3])
    func `a bad push comes to what it must`(vector: PushVector, tokens: Int) async throws {
        let harness = try await harness(tokens)
        let candidate = harness.provider.candidate(in: try vector.message())
        let word = vector.expected.prefix { $0 != ":" && $0 != ";" }
        guard word != "notOurs" else {
            #expect(candidate == nil)
            return
        }
        let event = await Result { () async throws(PushError) in
            try await candidate?.verified(with: harness.accounts)
        }
        switch (word, event) {
        case ("untrusted", .failure(let error)):
            let isAnothers = vector.name == "serial of another enrollment"
            #expect(error.code == (isAnothers && tokens == 1 ? .unknownEnrollment : .untrusted))
            #expect(vector.expected == "untrusted" || error.reason.contains("origin"))
        case ("malformed", .failure(let error)): #expect(error.code == .malformed)
        case ("hint", .success(.hint(let hint))):
            #expect(hint.enrollments == [harness.id] && hint.topic == .challenges)
        case ("approve", .success(.notice(let announcement))),
            ("deny only", .success(.notice(let announcement))):
            try await expectChallenge(vector, announcement, in: harness)
        default: Issue.record("\(vector.expected) was expected, \(event) came.")
        }
    }

    @Test(arguments: PushVector.bad)
    func `a bad entry of a list is left out, and the one beside it counts`(
        vector: PushVector
    ) async throws {
        let harness = try await harness(3)
        let other = try SignedChallenge(nonce: "BESIDE").json(by: harness.vectors.key("server"))
        await harness.server.list(vector.data, other)
        let pending = try await harness.provider.resolver.pending(
            of: harness.accounts.existing(harness.id), after: nil)
        let names = pending.announcements.map(\.notice.id.name)
        #expect(names.contains("BESIDE"))
        // TLS brought it from the server itself, so a bar leaves one reading.
        let isTaken = ["approve", "deny only", "hint"].contains {
            vector.expected.hasPrefix($0)
        }
        #expect(names.count == (isTaken ? 2 : 1))
        #expect(pending.isComplete == isTaken)
        #expect(harness.observer.observations.isEmpty == isTaken)
    }

    @Test func `the push of another token with its serial is that one's`() async throws {
        let harness = try await harness(3)
        let url = "https://other.example.com/ttype/push"
        let message = try SignedChallenge(url: url).message(by: harness.vectors.key("otherServer"))
        let reception = try #require(await harness.authenticator.receive(message).first)
        #expect(reception.challenge?.enrollment.name == "PIPU0001ABCD@\(url.dropLast(11))")
    }

    @Test func `a server that moved is followed only as far as the app says`() async throws {
        let url = "https://pi2.example.com/ttype/push"
        let still = try await ScriptedHarness.enrolled()
        let message = try SignedChallenge(url: url).message(by: still.vectors.key("server"))
        let error = try await refusal { _ = try await still.authenticator.receive(message) }
        #expect(error.code == .untrusted && error.reason.contains("origin"))
        let moved = try await ScriptedHarness.enrolled {
            $0.movedOrigins = ["https://pi.example.com": ["https://pi2.example.com"]]
        }
        let reception = try #require(await moved.authenticator.receive(message).first)
        #expect(reception.challenge?.enrollment == moved.id)
    }

    @Test func `texts that can't be shown whole can only be denied`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge {
            $0.question = String(repeating: "Q", count: 2049)
        }
        guard case .denyOnly = challenge.prompt else {
            Issue.record("It can be approved.")
            return
        }
    }

    @Test func `a push larger than any server's is refused`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let signed = SignedChallenge(question: String(repeating: "Q", count: 4097))
        let message = try signed.message(by: harness.vectors.key("server"))
        let error = try await refusal { _ = try await harness.authenticator.receive(message) }
        #expect(error.code == .malformed)
    }

    @Test func `options are texts, exact to the byte`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge { $0.presence = " 07,7, x y ,50%20" }
        #expect(challenge.prompt == .choose([" 07", "7", " x y ", "50%20"]))
        let details = try #require(challenge.details(as: PrivacyIDEAChallenge.self))
        #expect(details.requirePresence == [" 07", "7", " x y ", "50%20"])
        #expect(details.title == "Example Bank" && details.question == "Log in as Ada?")
        #expect(details.declineReasons == [.unknownTrigger, .cancelled])
    }
}

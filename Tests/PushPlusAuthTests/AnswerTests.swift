import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// The answer and the request that carries it: `docs/vendors/plusauth.md#answer`.
@Suite struct AnswerTests {
    private static let added: Set = ["iat", "exp", "jti"]

    /// One answer of the worked examples, and how a user gives it.
    struct Example: Sendable, CustomStringConvertible {
        let name: String
        let key: String
        let context: String
        let resolution: Resolution
        var documentedOnly = false

        var description: String { name }
    }

    private static let examples = [
        Example(
            name: "rs256_code_selected", key: "rsa", context: "rs256_code",
            resolution: .choose("07")),
        Example(
            name: "rs256_code_rejected", key: "rsa", context: "rs256_code",
            resolution: .deny(.ignore)),
        Example(
            name: "rs256_prompt_accepted", key: "rsa", context: "rs256_prompt",
            resolution: .approve),
        Example(
            name: "es256_prompt_accepted", key: "ec", context: "es256_prompt_sparse",
            resolution: .approve),
        Example(
            name: "es256_prompt_rejected_fraud", key: "ec", context: "es256_prompt_sparse",
            resolution: .deny(.fraud)),
        Example(
            name: "es256_code_selected", key: "ec", context: "es256_code_bind_sim_no_kid",
            resolution: .choose("02")),
        Example(
            name: "es256_prompt_accepted_documented_claims_only", key: "ec",
            context: "es256_prompt_sparse", resolution: .approve, documentedOnly: true),
    ]

    @Test(arguments: examples)
    func `each example gets the answer that stands with it`(example: Example) async throws {
        var configuration = PlusAuth.Configuration()
        configuration.documentedClaimsOnly = example.documentedOnly
        let harness = try await PlusAuthHarness.ofTheExamples(["rsa", "ec"], configuration)
        let vectors = try Vectors()
        let key = try vectors.key(example.key)
        let expected = try Posted.read(vectors(example.name), by: key)
        let challenge = try await harness.challenge(ContextJWT.message(vectors(example.context)))
        harness.clock.advance(by: .seconds(5))
        #expect(
            try await harness.authenticator.resolve(challenge, with: example.resolution)
                == .delivered)
        let posted = try await harness.lastAnswer()
        let answer = try posted.answer(by: key)
        #expect(answer.header == expected.header)
        #expect(
            Set(answer.claims.members.map(\.name)) == Set(expected.claims.members.map(\.name)))
        for (name, value) in expected.claims.members where !Self.added.contains(name) {
            #expect(answer.claims[name] == value)
        }
        if !example.documentedOnly {
            let issued = try #require(answer.claims["iat"]?.integer)
            #expect((1_702_243_104...1_702_243_106).contains(issued))
            #expect(answer.claims["exp"]?.integer == issued + 120)
            #expect(answer.claims["jti"]?.string?.isEmpty == false)
        }
        #expect(posted.url == WorkedExample.resolve)
        #expect(posted.request.method == .post)
        #expect(try posted.field("Content-Type") == "application/json")
        #expect(try posted.field("User-Agent")?.isEmpty == false)
        let token = challenge.details(as: PushContext.self)?.contextToken.text
        #expect(try posted.field("Authorization") == "Bearer \(token ?? "")")
        let members = try posted.members()
        #expect(Set(members.members.map(\.name)) == ["context", "device_identifier"])
        let enrolled = try #require(await harness.enrollments().first).members()
        #expect(members["device_identifier"] == enrolled["device_identifier"])
        #expect(await harness.answers().count == 1)
    }

    // MARK: Every row of the table

    private func claims(
        _ context: (AccountKey) -> ContextJWT, _ resolution: Resolution,
        _ configuration: PlusAuth.Configuration = .ec { $0.documentedClaimsOnly = true }
    ) async throws -> JSON.Object {
        let harness = try await PlusAuthHarness.enrolled(configuration)
        let key = try await harness.key()
        let challenge = try await harness.challenge(context(key))
        _ = try await harness.authenticator.resolve(challenge, with: resolution)
        return try await harness.lastAnswer().answer(by: key).claims
    }

    @Test(
        arguments: [
            (.ignore, "ignore"), (.custom("fraud"), "ignore"), (.unexpected, "ignore"),
            (.fraud, "fraud_suspicion"),
        ] as [(DenyReason, String)])
    func `a no says why, with the form its type has`(reason: DenyReason, word: String) async throws
    {
        let word = JSON.string(word)
        #expect(try await claims({ .code($0) }, .deny(reason)) == ["reject_reason": word])
        #expect(
            try await claims({ ContextJWT($0) }, .deny(reason))
                == ["response": "rejected", "reject_reason": word])
    }

    @Test(arguments: ["02", "61", "007"])
    func `a chosen value is repeated exactly, leading zeros and all`(value: String) async throws {
        let claims = try await claims({ .code($0, ["02", "61", "007"]) }, .choose(value))
        #expect(claims == ["selected_value": .string(value)])
    }

    @Test func `a value that came as a number goes as text`() async throws {
        let claims = try await claims(
            { ContextJWT.code($0).with("values", [83, 7]) }, .choose("7"))
        #expect(claims == ["selected_value": "7"])
    }

    @Test func `a yes has no reason`() async throws {
        #expect(try await claims({ ContextJWT($0) }, .approve) == ["response": "accepted"])
    }

    @Test func `a challenge denied unopened is denied in its type's form`() async throws {
        let harness = try await PlusAuthHarness.enrolled(.ec { $0.documentedClaimsOnly = true })
        let key = try await harness.key()
        for (index, word) in ["fraud_suspicion", "ignore"].enumerated() {
            let word = JSON.string(word)
            let reason: JSON.Object = ["reject_reason": word]
            let both: JSON.Object = ["response": "rejected", "reject_reason": word]
            for (context, expected) in [
                (ContextJWT.code(key, token: "a-\(index)"), reason),
                (ContextJWT(key, token: "b-\(index)"), both),
            ] {
                let id = try #require(
                    await harness.authenticator.receive(context.message()).first?.challenge)
                let outcome =
                    index == 0
                    ? try await harness.authenticator.deny(id, .fraud)
                    : try await harness.authenticator.deny(id)
                #expect(outcome == .delivered)
                #expect(try await harness.lastAnswer().answer(by: key).claims == expected)
            }
        }
    }

    @Test(arguments: [(.fraud, true), (.unexpected, false)] as [(DenyReason, Bool)])
    func `the user's word for an attack raises the alarm here as well, a plain no doesn't`(
        reason: DenyReason, isAlarm: Bool
    ) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        let challenge = try await harness.challenge(ContextJWT(key, token: "a"))
        #expect(
            try await harness.authenticator.resolve(challenge, with: .deny(reason)) == .delivered)
        let next = try ContextJWT(key, token: "b").message()
        let reception = try #require(await harness.authenticator.receive(next).first)
        #expect((reception.burst != nil) == isAlarm)
    }

    // MARK: What we add

    @Test func `an answer ends after two minutes, or with its challenge`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        let end = Int64(WorkedExample.now.timeIntervalSince1970) + 40
        let context = ContextJWT(key).with("exp", .integer(end))
        let challenge = try await harness.challenge(context)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        let claims = try await harness.lastAnswer().answer(by: key).claims
        #expect(claims["exp"]?.integer == end)
        let issued = try #require(claims["iat"]?.integer)
        #expect((end - 41...end - 39).contains(issued))
    }

    @Test func `no two answers have one identifier`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        var identifiers: Set<JSON> = []
        for index in 0..<4 {
            let challenge = try await harness.challenge(ContextJWT(key, token: "ctx-\(index)"))
            _ = try await harness.authenticator.resolve(challenge, with: .approve)
            let claims = try await harness.lastAnswer().answer(by: key).claims
            identifiers.insert(try #require(claims["jti"]))
        }
        #expect(identifiers.count == 4)
    }

    @Test func `an answer names the server's time, whatever the device's clock shows`() async throws
    {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        harness.clock.set(WorkedExample.now - 500_000)
        let challenge = try await harness.challenge(ContextJWT(key))
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        let issued = try await harness.lastAnswer().answer(by: key).claims["iat"]?.integer
        let now = Int64(WorkedExample.now.timeIntervalSince1970)
        #expect((now - 1...now + 1).contains(try #require(issued)))
    }

    @Test func `an RS256 answer has the one signature that such a key can make`() async throws {
        let harness = try await PlusAuthHarness.ofTheExamples(["rsa"])
        let key = try Vectors().key("rsa")
        let challenge = try await harness.challenge(ContextJWT.message(Vectors()("rs256_prompt")))
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        let token = try #require(await harness.lastAnswer().members()["context"]?.string)
        let parts = token.split(separator: ".").map(String.init)
        #expect(parts[2] == base64url(try key.signature(over: "\(parts[0]).\(parts[1])")))
    }

    // MARK: Who may answer, and what

    @Test func `a yes takes the user, a no doesn't`() async throws {
        let harness = try await PlusAuthHarness.enrolled(verifier: .absent())
        let key = try await harness.key()
        for (index, context) in [ContextJWT(key, token: "a"), .code(key, token: "b")].enumerated() {
            let challenge = try await harness.challenge(context)
            #expect(challenge.verification == [[.presence]])
            let yes = index == 0 ? Resolution.approve : .choose("07")
            let error = try await refusal {
                _ = try await harness.authenticator.resolve(challenge, with: yes)
            }
            #expect(error.code == .cancelled)
            #expect(await harness.answers().count == index)
            #expect(
                try await harness.authenticator.resolve(challenge, with: .deny(.ignore))
                    == .delivered)
        }
    }

    @Test func `where the app wants so, a yes takes nobody`() async throws {
        let harness = try await PlusAuthHarness.enrolled(
            .ec { $0.requiresUserVerification = false }, verifier: .absent())
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        #expect(challenge.verification.isEmpty)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `an answer that doesn't fit the question is neither prepared nor sent`()
        async throws
    {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        for (context, bad) in [
            (ContextJWT(key, token: "a"), [.choose("07"), .enter("07")]),
            (.code(key, token: "b"), [.approve, .choose("7"), .choose(""), .enter("07")]),
        ] as [(ContextJWT, [Resolution])] {
            let challenge = try await harness.challenge(context)
            let announcement = try await harness.authenticator.announcement(of: challenge.id)
            for resolution in bad {
                await #expect(throws: PushError.self) {
                    _ = try await harness.authenticator.resolve(challenge, with: resolution)
                }
                let decision = Decision(
                    announcement, resolution, challenge: challenge, evidence: [.presence],
                    extras: nil)
                await #expect(throws: PushError.self) {
                    _ = try await harness.answer(to: decision)
                }
            }
        }
        #expect(await harness.answers().isEmpty)
    }

    @Test func `the bytes of an answer are kept, so that each try sends the same`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        let announcement = try await harness.authenticator.announcement(of: challenge.id)
        let decision = Decision(
            announcement, .approve, challenge: challenge, evidence: [.presence], extras: nil)
        #expect(try await harness.answer(to: decision).kept.form == .whole)
    }
}

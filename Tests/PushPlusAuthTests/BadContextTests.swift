import Foundation
import IndependentEncodings
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// The worked examples' contexts that must be refused, each in a fresh store:
/// `docs/vendors/plusauth.md#what-a-context-must-be`.
@Suite struct BadContextTests {
    @Test(arguments: [
        "alg_none", "hs256_with_rsa_public_pem", "unknown_key", "tampered_payload",
        "es256_der_signature", "foreign_resolve_origin", "userinfo_trick_origin",
        "http_resolve_url",
    ])
    func `what can't be trusted is refused as such, and nothing is shown`(name: String)
        async throws
    {
        let harness = try await PlusAuthHarness.ofTheExamples()
        let message = try ContextJWT.message(Vectors()(name))
        #expect(harness.provider.candidate(in: message) != nil)
        #expect(try await harness.refusal(of: message).code == .untrusted)
        #expect(await harness.answers().isEmpty)
    }

    @Test(arguments: [
        "code_without_values", "missing_context_token", "answer_reflected_as_context",
    ])
    func `what is signed but can't be read is malformed`(name: String) async throws {
        let harness = try await PlusAuthHarness.ofTheExamples()
        let message = try ContextJWT.message(Vectors()(name))
        #expect(try await harness.refusal(of: message).code == .malformed)
        #expect(await harness.answers().isEmpty)
    }

    @Test(arguments: ["foreign_resolve_origin", "userinfo_trick_origin", "http_resolve_url"])
    func `where an answer would go astray, the observer hears of it`(name: String) async throws {
        let harness = try await PlusAuthHarness.ofTheExamples()
        let before = harness.observer.observations.count
        _ = try await harness.refusal(of: ContextJWT.message(Vectors()(name)))
        let heard = harness.observer.observations.dropFirst(before)
        let account = Enrollment.ID(try Vectors().key("ec").id, of: "plusauth")
        #expect(heard.contains { $0.kind == .security(.untrusted) && $0.enrollment == account })
        // The account itself goes on: anyone who holds its key could otherwise end it.
        _ = try await harness.challenge(ContextJWT.message(Vectors()("es256_prompt_sparse")))
    }

    @Test func `an expired one is not shown, and can't be answered`() async throws {
        let harness = try await PlusAuthHarness.ofTheExamples()
        let message = try ContextJWT.message(Vectors()("expired"))
        let reception = try #require(await harness.authenticator.receive(message).first)
        guard case .over(let withdrawal) = reception.kind else {
            Issue.record("Its time was over when it came.")
            return
        }
        #expect(withdrawal.reason == .expired)
        let error = try await refusal { _ = try await harness.authenticator.deny(withdrawal.id) }
        #expect(error.code == .over)
        #expect(await harness.answers().isEmpty)
    }

    @Test func `a type of the future is told, and never answered`() async throws {
        let harness = try await PlusAuthHarness.ofTheExamples()
        let message = try ContextJWT.message(Vectors()("unknown_type"))
        let reception = try #require(await harness.authenticator.receive(message).first)
        guard case .incompatible(let incompatible) = reception.kind else {
            Issue.record("It's genuine, but newer than we understand.")
            return
        }
        #expect(incompatible.kind == "biometric")
        #expect(!incompatible.isIgnorable)
        #expect(!incompatible.withdraws)
        await #expect(throws: PushError.self) {
            _ = try await harness.authenticator.deny(incompatible.id)
        }
        await #expect(throws: PushError.self) {
            _ = try await harness.authenticator.challenge(incompatible.id)
        }
        #expect(await harness.answers().isEmpty)
    }

    /// Time comes before the type.
    @Test func `an expired one of the future's type is not told either`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        await harness.hearTime()
        let context = try await ContextJWT(harness.key()).with("type", "biometric")
            .with("iat", 1_702_240_000).with("exp", 1_702_243_000)
        let receptions = try await harness.authenticator.receive(context.message())
        let id = try await Challenge.ID(hex(sha256("ctx-0001")), of: harness.account().id)
        #expect(receptions.map(\.kind) == [.over(Withdrawal(id, .expired))])
    }

    /// Such as one that a newer version of the app announced, before an older one took its place.
    @Test func `a type of the future can't be opened, whoever announced it`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let context = try await ContextJWT(harness.key()).with("type", "biometric")
        let id = try await Challenge.ID("x", of: harness.account().id)
        var announcement = Announcement(
            Notice(id: id, proof: .signature), context: Secret(JSON.object(context.claims).utf8))
        let error = try await refusal {
            _ = try await harness.provider.resolver.challenge(
                for: &announcement, of: try await harness.accounts.existing(id.enrollment))
        }
        #expect(error.code == .unsupported)
    }

    @Test func `the good twin of each of them is fine, so it's the flaw that counts`() async throws
    {
        let harness = try await PlusAuthHarness.ofTheExamples(["ec"])
        let twins = ["es256_prompt_sparse", "es256_code_bind_sim_no_kid"]
        for twin in twins { _ = try await harness.challenge(ContextJWT.message(Vectors()(twin))) }
        // Without the RSA account nobody has the key of these.
        for name in ["rs256_code", "rs256_prompt"] {
            let message = try ContextJWT.message(Vectors()(name))
            #expect(try await harness.refusal(of: message).code == .untrusted)
        }
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

struct AnsweringTests {
    @Test(
        arguments: [
            ("approve", Resolution.approve, "approve"), ("choose", .choose("34"), "number:34"),
            ("enter", .enter("34"), "number:34"), ("approve", .deny(.fraud), "deny:fraud"),
            ("hologram", .deny(.custom("no")), "deny:no"),
        ] as [(String, Resolution, String)])
    func `an answer reaches the vendor as it was given`(
        prompt: String, resolution: Resolution, wire: String
    ) async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1", prompt: prompt))
        let outcome = try await authenticator.resolve(challenge, with: resolution, extras: "x")
        #expect(outcome == .delivered)
        #expect(
            await harness.server.answers == [
                ["id": "1", "choice": .string(wire), "extras": "x", "again": false]
            ])
        #expect(
            try await authenticator.record(of: .ada("1"))?.state
                == .answered(resolution, .delivered))
        #expect(await harness.verifier.requests.isEmpty)
    }

    @Test(
        arguments: [
            ("approve", Resolution.choose("34"), PushError.Code.invalidResolution),
            ("choose", .approve, .invalidResolution), ("choose", .choose("99"), .invalidResolution),
            ("enter", .enter("345"), .invalidResolution), ("hologram", .approve, .unsupported),
            ("hologram", .choose("34"), .unsupported), ("hologram", .enter("34"), .unsupported),
        ] as [(String, Resolution, PushError.Code)])
    func `an answer that doesn't fit is refused before anything is kept or sent`(
        prompt: String, resolution: Resolution, refusal: PushError.Code
    ) async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1", prompt: prompt))
        #expect(
            await code { try await authenticator.resolve(challenge, with: resolution) } == refusal)
        #expect(await harness.server.answers.isEmpty)
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
    }

    @Test func `a no needs neither opening nor proof`() async throws {
        let harness = AuthenticatorHarness(verifier: .absent())
        let authenticator = try await harness.enrolled(["ada"], .init(verification: [[.pin]]))
        _ = try await authenticator.receive(try AcmeWire.ask("1", prompt: "choose"))
        #expect(try await authenticator.deny(.ada("1"), .ignore) == .delivered)
        #expect(await harness.server.taken == ["1": "deny:ignore"])
        let challenge = try await authenticator.open(try AcmeWire.ask("2"))
        #expect(try await authenticator.resolve(challenge, with: .deny(.fraud)) == .delivered)
        #expect(await harness.verifier.requests.isEmpty)
    }

    @Test func `a yes takes the proof the challenge asks for`() async throws {
        let harness = AuthenticatorHarness(verifier: .willing(pin: "7890"))
        let authenticator = try await harness.enrolled(
            ["ada"], .init(verification: [[.deviceCredential], [.pin]]))
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        let style = VerificationStyle(title: "Log in", allowsDeviceCredential: false)
        #expect(
            try await authenticator.resolve(challenge, with: .approve, style: style) == .delivered)
        #expect(await harness.server.answers.first?["pin"] == "7890")
        let request = try #require(await harness.verifier.requests.first)
        #expect(request.title == "Log in" && request.alternatives == [[.pin]])
        guard case .answer(let asked, .approve) = request.purpose else {
            Issue.record("\(request)")
            return
        }
        #expect(asked.id == .ada("1"))
    }

    @Test func `a style that leaves no alternative is refused`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(
            ["ada"], .init(verification: [[.deviceCredential]]))
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        let style = VerificationStyle(allowsDeviceCredential: false)
        #expect(
            await code {
                try await authenticator.resolve(challenge, with: .approve, style: style)
            } == .invalidArgument)
        #expect(await harness.verifier.requests.isEmpty)
    }

    @Test func `without the proof nothing is sent, and the challenge stays open`() async throws {
        let lazy = AuthenticatorHarness(verifier: ScriptedVerifier { _ in [.presence] })
        let absent = AuthenticatorHarness(verifier: .absent())
        for (harness, refusal) in [(lazy, PushError.Code.verificationFailed), (absent, .cancelled)]
        {
            let authenticator = try await harness.enrolled(["ada"], .init(verification: [[.pin]]))
            let challenge = try await authenticator.open(try AcmeWire.ask("1"))
            #expect(
                await code { try await authenticator.resolve(challenge, with: .approve) } == refusal
            )
            #expect(await harness.server.answers.isEmpty)
            #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
            #expect(try await authenticator.deny(.ada("1")) == .delivered)
        }
    }

    @Test func `a cancel that comes while the user types the PIN stops the answer`() async throws {
        let gate = Gate()
        let harness = AuthenticatorHarness(
            verifier: ScriptedVerifier { _ in
                await gate.pass()
                return [.pin(secret("1234"))]
            })
        let authenticator = try await harness.enrolled(["ada"], .init(verification: [[.pin]]))
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        async let outcome = code { try await authenticator.resolve(challenge, with: .approve) }
        await gate.arrival()
        _ = try await authenticator.receive(try AcmeWire.cancel("1"))
        await gate.open()
        #expect(await outcome == .over)
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `an error that a provider leaves unsigned names it`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.faults.next(.status(500), where: { $0.path == "/state" })
        do throws(PushError) {
            _ = try await authenticator.refresh(.ada)
            Issue.record("It succeeded.")
        } catch {
            #expect(error.code == .server(status: 500))
            #expect(error.provider == "acme")
        }
    }

    @Test func `a wrong choice opens the challenge again`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1", prompt: "choose"))
        let wrong = Outcome.notTaken(.init(.wrongChoice, mayRetry: true, attemptsLeft: 2))
        #expect(try await authenticator.resolve(challenge, with: .choose("12")) == wrong)
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        #expect(try await authenticator.resume().isEmpty)
        #expect(try await authenticator.resolve(challenge, with: .choose("34")) == .delivered)
    }

    @Test func `a no that is final stands`() async throws {
        let harness = AuthenticatorHarness(verifier: .willing(pin: "0000"))
        let authenticator = try await harness.enrolled(["ada"], .init(verification: [[.pin]]))
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        let refused = Outcome.notTaken(.init(.verification, mayRetry: false, status: 403))
        #expect(try await authenticator.resolve(challenge, with: .approve) == refused)
        #expect(try await authenticator.resolve(challenge, with: .approve) == refused)
        #expect(
            await code { try await authenticator.deny(.ada("1")) } == .decidedOtherwise(.approve))
        #expect(await harness.server.answers.count == 1)
    }

    @Test func `an answered challenge that is announced again says so`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        _ = try await authenticator.deny(.ada("1"))
        let again = try await authenticator.receive(try AcmeWire.ask("1"))
        guard case .answered(let notice, .deny(.unexpected))? = again.first?.kind else {
            Issue.record("\(again)")
            return
        }
        #expect(notice.id == .ada("1") && again.first?.isNew == false)
        #expect(again.first?.challenge == .ada("1"))
        let cancel = try await authenticator.receive(try AcmeWire.cancel("1"))
        #expect(cancel.map(\.isNew) == [false])
        #expect(
            try await authenticator.record(of: .ada("1"))?.state
                == .answered(.deny(.unexpected), .delivered))
    }

    @Test func `an answer that is certainly late is refused, and the challenge is over`()
        async throws
    {
        let harness = AuthenticatorHarness()
        await harness.server.tell(morning)
        let authenticator = try await harness.enrolled()
        try await authenticator.hearTimeAgain()
        let challenge = try await authenticator.open(try AcmeWire.ask("1", expiry: morning + 60))
        harness.clock.advance(by: .seconds(62))
        #expect(await code { try await authenticator.resolve(challenge, with: .approve) } == .over)
        #expect(await harness.server.answers.isEmpty)
        #expect(
            try await authenticator.record(of: .ada("1"))?.state
                == .over(Withdrawal(.ada("1"), .expired)))
    }

    @Test func `an answer whose lateness is uncertain is the vendor's to judge`() async throws {
        let harness = AuthenticatorHarness()
        await harness.server.tell(morning)
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1", expiry: morning + 60))
        harness.clock.advance(by: .milliseconds(59_500))
        await harness.server.expire("1")
        #expect(try await authenticator.resolve(challenge, with: .approve) == .expired)
        #expect(
            try await authenticator.record(of: .ada("1"))?.state == .answered(.approve, .expired))
    }

    @Test func `a store that refuses the decision keeps it from being sent`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        await harness.store.refuseWrites { _ in PushError(.storage, "Disk full.") }
        #expect(
            await code { try await authenticator.resolve(challenge, with: .approve) } == .storage)
        #expect(await harness.server.answers.isEmpty)
        await harness.store.refuseWrites(nil)
        #expect(try await authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a challenge nobody knows can't be answered`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        #expect(await code { try await authenticator.deny(.ada("1")) } == .notFound)
        #expect(await code { try await authenticator.challenge(.ada("1")) } == .notFound)
        let challenge = Challenge(for: Notice(id: .ada("1"), proof: .mac), prompt: .approve)
        #expect(
            await code { try await authenticator.resolve(challenge, with: .approve) } == .notFound)
    }

    @Test func `a challenge of a plugin that isn't linked can't be answered`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        let bare = PushAuthenticator(try PluginRegistry([]), in: harness.environment)
        #expect(await code { try await bare.resolve(challenge, with: .approve) } == .notFound)
        #expect(await code { try await bare.challenge(.ada("1")) } == .notFound)
        #expect(try await bare.resume().isEmpty)
    }

    @Test func `refused answers are reported and counted, without what was chosen`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        _ = try await authenticator.resolve(challenge, with: .approve)
        // Which decision stands is for the caller alone.
        _ = await code { try await authenticator.deny(.ada("1"), .custom("my words")) }
        #expect(harness.observer.observations.isEmpty)
        for _ in 1...2 {
            _ = await code { try await authenticator.deny(.ada("2"), .custom("my words")) }
        }
        let heard = harness.observer.observations
        #expect(heard.map(\.summary) == ["An answer was refused.", "An answer was refused."])
        #expect(heard.map(\.count) == [1, 2] && heard.allSatisfy { $0.provider == "acme" })
        #expect(!"\(heard)".contains("my words"))
    }

    @Test(arguments: [Answer.Kept.Form.nothing, .part, .whole])
    func `a code made from what may not be kept is handed over once, and not kept either`(
        kept: Answer.Kept.Form
    ) async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try PushAuthenticator(
            PluginRegistry([Coding(acme: harness.acme(), kept: kept)]), in: harness.environment,
            configuration: AuthenticatorHarness.quiet)
        _ = try await authenticator.join("ada")
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        #expect(
            try await authenticator.resolve(challenge, with: .approve)
                == .code("carried-by-the-user"))
        let isKept = bytes(try await harness.rawStore(), hold: "carried-by-the-user")
        #expect(isKept == (kept == .whole))
        let standing = kept == .whole ? "carried-by-the-user" : ""
        #expect(
            try await authenticator.record(of: .ada("1"))?.state
                == .answered(.approve, .code(standing)))
    }
}

/// An Acme whose answers the user carries.
private struct Coding: AcmeVariant {
    let acme: Acme
    let kept: Answer.Kept.Form

    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        Signing(Answer(secret("signature"), kept: Answer.Kept(kept, part: secret("s"))))
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        .code("carried-by-the-user")
    }
}

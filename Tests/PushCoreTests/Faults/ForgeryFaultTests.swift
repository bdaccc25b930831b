import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// Messages and replies by someone who isn't the vendor, or is the vendor of another account.
struct ForgeryFaultTests {
    /// Checks that a message is refused and that nothing of it stays.
    private func expectRefusal(
        _ message: PushMessage, _ refusal: PushError.Code, _ harness: AuthenticatorHarness,
        _ authenticator: PushAuthenticator, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try await harness.rawStore()
        #expect(
            await code { try await authenticator.receive(message) } == refusal,
            sourceLocation: sourceLocation)
        #expect(try await harness.rawStore() == before, sourceLocation: sourceLocation)
        #expect(
            harness.observer.observations.map(\.kind) == [.refused(refusal)],
            sourceLocation: sourceLocation)
    }

    // MARK: Forged

    @Test func `a forged push is refused as untrusted, counted, and stores nothing`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let forged = try AcmeWire.push(AcmeWire.claims("1"), to: "ada", key: "guess")
        try await expectRefusal(forged, .untrusted, harness, authenticator)
        #expect(await code { try await authenticator.deny(.ada("1")) } == .notFound)
    }

    @Test func `a forged cancel takes nothing back`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let forged = try AcmeWire.push(["kind": "cancel", "id": "1"], to: "ada", key: "guess")
        try await expectRefusal(forged, .untrusted, harness, authenticator)
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
    }

    @Test func `every flipped character of a signed push is refused`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let text = AcmeWire.claims("1").text
        let mac = AcmeWire.mac(text.utf8, key: AcmeWire.key(of: "ada"))
        let before = try await harness.rawStore()
        for index in text.unicodeScalars.indices {
            var changed = text.unicodeScalars
            changed.replaceSubrange(
                index...index, with: [text.unicodeScalars[index] == "x" ? "y" : "x"])
            let message = try PushMessage(
                json: JSON.object([
                    "acme": .string(String(changed)), "to": "ada", "mac": .string(mac),
                ]).data)
            #expect(await code { try await authenticator.receive(message) } == .untrusted)
        }
        #expect(try await harness.rawStore() == before)
    }

    // MARK: Another account

    @Test func `a push signed with another account's key is refused`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        let crossed = try AcmeWire.push(
            AcmeWire.claims("1"), to: "ada", key: AcmeWire.key(of: "bob"))
        try await expectRefusal(crossed, .untrusted, harness, authenticator)
    }

    @Test func `a push for an account that isn't on this device is refused, not shown`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada"])
        try await expectRefusal(
            try AcmeWire.ask("1", to: "bob"), .unknownEnrollment, harness, authenticator)
    }

    @Test func `one account's cancel or answer is no other's`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        for account in ["ada", "bob"] {
            _ = try await authenticator.receive(try AcmeWire.ask("1", to: account))
        }
        _ = try await authenticator.receive(try AcmeWire.cancel("1", to: "bob"))
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        #expect(
            await code { try await authenticator.deny(Challenge.ID("1", of: .bob)) } == .over)
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
    }

    // MARK: Replays

    @Test func `a replay after the answer and a restart is no news, and sends nothing`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let first = try harness.life()
        _ = try await first.authenticator.join("ada")
        let push = try AcmeWire.ask("1")
        let challenge = try await first.authenticator.open(push)
        _ = try await first.authenticator.resolve(challenge, with: .approve)
        await first.kill()
        let second = try harness.life().authenticator
        let again = try await second.receive(push)
        #expect(again.map(\.isNew) == [false])
        guard case .answered(_, .approve)? = again.first?.kind else {
            Issue.record("\(again)")
            return
        }
        #expect(try await second.resume().isEmpty)
        #expect(await harness.server.answers.count == 1)
    }

    @Test func `a replay of a cancelled challenge after a restart isn't shown`() async throws {
        let harness = AuthenticatorHarness()
        let first = try harness.life()
        _ = try await first.authenticator.join("ada")
        _ = try await first.authenticator.receive(try AcmeWire.ask("1"))
        _ = try await first.authenticator.receive(try AcmeWire.cancel("1"))
        await first.kill()
        let again = try await harness.life().authenticator.receive(try AcmeWire.ask("1"))
        #expect(again.map(\.kind) == [.over(Withdrawal(.ada("1"), .cancelled))])
        #expect(again.map(\.isNew) == [false])
    }

    @Test(arguments: [
        // The same claims in another order, with other white space, with escapes.
        #"{"title":"Log in?","prompt":"approve","id":"1","kind":"ask"}"#,
        "{ \"kind\" : \"ask\",\n\t\"id\" : \"1\", \"prompt\" : \"approve\" }",
        #"{"kind":"ask","id":"\u0031","prompt":"approve"}"#,
    ])
    func `a re-encoded replay is refused unless it is signed, and then it is no news`(
        text: String
    ) async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let original = AcmeWire.claims("1").text
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let resealed = try PushMessage(
            json: JSON.object([
                "acme": .string(text), "to": "ada",
                "mac": .string(AcmeWire.mac(original.utf8, key: AcmeWire.key(of: "ada"))),
            ]).data)
        try await expectRefusal(resealed, .untrusted, harness, authenticator)
        // The vendor itself may spell it again: its proved identifier makes it the same.
        let again = try await authenticator.receive(try AcmeWire.push(text: text, to: "ada"))
        #expect(again.map(\.isNew) == [false])
        #expect(try await authenticator.records().map(\.id) == [.ada("1")])
    }

    @Test func `other members beside the signature make no second challenge`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        for number in 0..<5 {
            let push = try AcmeWire.push(
                AcmeWire.claims("1"), to: "ada",
                beside: [
                    "id": .string("\(number)"), "messageId": .string("m\(number)"),
                    "expiry": .integer(number), "aps": ["badge": 1],
                ])
            #expect(try await authenticator.receive(push).map(\.isNew) == [number == 0])
        }
        #expect(try await authenticator.records().map(\.id) == [.ada("1")])
    }

    // MARK: What isn't understood

    @Test func `an unknown type is told as such, and can't be answered`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let receptions = try await authenticator.receive(
            try AcmeWire.future("1", withdraws: false))
        guard case .incompatible(let what)? = receptions.first?.kind else {
            Issue.record("\(receptions)")
            return
        }
        #expect(what.kind == "hologram")
        #expect(await code { try await authenticator.deny(.ada("1")) } != nil)
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `unknown fields change nothing`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        var claims = try #require(AcmeWire.claims("1").object)
        claims["autoApprove"] = true
        claims["kind2"] = "cancel"
        claims["to"] = "bob"
        let challenge = try await authenticator.open(
            try AcmeWire.push(.object(claims), to: "ada"))
        #expect(challenge.id == .ada("1") && challenge.prompt == .approve)
        #expect(try await authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `an unknown prompt can only be denied`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1", prompt: "hologram"))
        #expect(
            await code { try await authenticator.resolve(challenge, with: .approve) }
                == .unsupported)
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
        #expect(await harness.server.taken == ["1": "deny:unexpected"])
    }

    // MARK: Redirects

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirected answer isn't followed, stays on record, and arrives where it belongs`(
        status: Int
    ) async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        var redirect = HTTPResponse(status: .init(code: status))
        redirect.headerFields[.location] = "https://evil.example/answer"
        await harness.faults.next(.reply(redirect))
        #expect(await code { try await authenticator.deny(.ada("1")) } == .server(status: status))
        #expect(
            try await authenticator.record(of: .ada("1"))?.state == .decided(.deny(.unexpected)))
        #expect(try await authenticator.resume() == [.ada("1"): .delivered])
        let hosts = await harness.transport.exchanges.compactMap(\.request.authority)
        #expect(Set(hosts) == ["acme.example"])
    }
}

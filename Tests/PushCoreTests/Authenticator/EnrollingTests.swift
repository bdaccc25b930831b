import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

struct EnrollingTests {
    @Test func `enrolling asks the user, hands over the token, and is remembered`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try harness.authenticator(.init(asks: [[.newPIN]]))
        try await authenticator.deviceTokenChanged(.fcm("t1"))
        let enrollment = try await authenticator.join("ada")
        #expect(enrollment.state == .active && enrollment.deviceToken == .fcm("t1"))
        #expect(
            await harness.server.enrolled == [
                ["account": "ada", "provider": "acme", "token": "t1", "pin": true]
            ])
        #expect(try await authenticator.enrollments() == [enrollment])
        #expect(try await authenticator.enrollment(.ada) == enrollment)
        #expect(try await authenticator.enrollment(.bob) == nil)
        guard case .join(let offer)? = await harness.verifier.requests.first?.purpose else {
            Issue.record("The verifier wasn't asked to join.")
            return
        }
        #expect(offer.account == "ada" && offer.host == "acme.example")
    }

    @Test func `an offer that asks for nothing bothers nobody`() async throws {
        let harness = AuthenticatorHarness()
        _ = try await harness.enrolled()
        #expect(await harness.verifier.requests.isEmpty)
    }

    @Test func `an invitation that no plugin knows has no offer, an unusable one throws`() throws {
        let authenticator = try AuthenticatorHarness().authenticator()
        #expect(try authenticator.offers(for: .scanned(text: "https://x.example")).isEmpty)
        #expect(
            code { try authenticator.offers(for: .scanned(text: "acme:")) } == .invalidInvitation)
    }

    @Test func `a user who gives up, or brings the wrong proof, enrolls nothing`() async throws {
        let absent = AuthenticatorHarness(verifier: .absent())
        let options = Acme.Options(asks: [[.newPIN]])
        #expect(await code { try await absent.authenticator(options).join("ada") } == .cancelled)
        let wrong = AuthenticatorHarness(verifier: ScriptedVerifier { _ in [.presence] })
        #expect(
            await code { try await wrong.authenticator(options).join("ada") } == .verificationFailed
        )
        #expect(await absent.transport.exchanges.isEmpty)
        #expect(await wrong.transport.exchanges.isEmpty)
    }

    @Test func `an offer of a plugin that isn't linked is refused`() async throws {
        let authenticator = try AuthenticatorHarness().authenticator()
        let offer = Invitation.Offer(provider: "other", invitation: .typed(text: "x"))
        #expect(await code { try await authenticator.enroll(offer) } == .notFound)
    }

    @Test func `a server that can't be reached leaves no enrollment`() async throws {
        let harness = AuthenticatorHarness()
        await harness.faults.next(.refuse)
        let authenticator = try harness.authenticator()
        #expect(await code { try await authenticator.join("ada") } == .unreachable)
        #expect(try await authenticator.enrollments().isEmpty)
    }

    @Test func `one provider enrolls one at a time`() async throws {
        let harness = AuthenticatorHarness()
        let gate = Gate()
        await harness.server.hold("/enroll", at: gate)
        let authenticator = try harness.authenticator()
        async let one = authenticator.join("ada")
        await gate.arrival()
        async let two = authenticator.join("bob")
        try await eventually("The other waits.") {
            await authenticator.waitingToEnroll(with: "acme") == 1
        }
        #expect(await gate.arrived == 1)
        await gate.open()
        _ = try await (one, two)
        #expect(await harness.server.greatestOverlap == 1)
        #expect(try await authenticator.enrollments().count == 2)
    }

    @Test(arguments: ["ask", "cancel", "future"])
    func `half an enrollment is confirmed by the first message its key verifies`(
        kind: String
    ) async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(
            ["ada"], .init(state: .pending(.unconfirmed)))
        #expect(
            await code {
                try await authenticator.receive(
                    try AcmeWire.push(["kind": "ask", "id": "1"], to: "ada", key: "wrong"))
            } == .untrusted)
        #expect(try await authenticator.enrollment(.ada)?.state == .pending(.unconfirmed))
        let message =
            switch kind {
            case "ask": try AcmeWire.ask("1")
            case "cancel": try AcmeWire.cancel("1")
            default: try AcmeWire.future("1", withdraws: false)
            }
        _ = try await authenticator.receive(message)
        #expect(try await authenticator.enrollment(.ada)?.state == .active)
    }

    @Test(arguments: [Enrollment.State.pending(.deviceToken), .blocked("x"), .needsReenrollment])
    func `a message confirms nothing but a lost reply`(state: Enrollment.State) async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada"], .init(state: state))
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        #expect(try await authenticator.enrollment(.ada)?.state == state)
    }

    @Test func `the vendor's word on an enrollment is stored`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.server.block()
        #expect(try await authenticator.refresh(.ada).state == .blocked("policy"))
        #expect(try await authenticator.enrollment(.ada)?.state == .blocked("policy"))
        let stranger = Enrollment.ID("ada", of: "other")
        #expect(await code { try await authenticator.refresh(stranger) } == .notFound)
    }

    @Test func `removing an enrollment removes its challenges, and no other's`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        for account in ["ada", "bob"] {
            _ = try await authenticator.receive(try AcmeWire.ask("1", to: account))
        }
        try await authenticator.remove(.ada)
        #expect(await harness.server.removed == ["ada"])
        #expect(try await authenticator.records().map(\.id.enrollment) == [.bob])
        #expect(try await authenticator.enrollments().map(\.id) == [.bob])
        #expect(await code { try await authenticator.deny(.ada("1")) } == .notFound)
        #expect(
            await code { try await authenticator.receive(try AcmeWire.ask("2")) }
                == .unknownEnrollment)
    }

    @Test func `a removal that the vendor didn't hear of removes nothing`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.refuse)
        #expect(await code { try await authenticator.remove(.ada) } == .unreachable)
        #expect(try await authenticator.records().count == 1)
        #expect(try await authenticator.enrollments().count == 1)
    }

    @Test func `a damaged record is named, reported, and stops no other`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        try await harness.damage("enrollment")
        _ = try await authenticator.join("bob")
        #expect(await code { try await authenticator.enrollment(.ada) } == .malformed)
        #expect(try await authenticator.enrollments().map(\.id) == [.bob])
        let observation = harness.observer.observations.first {
            $0.kind == .damaged(.credential)
        }
        #expect(observation?.enrollment == .ada)
        _ = try await authenticator.receive(try AcmeWire.ask("1", to: "bob"))
        #expect(await code { try await authenticator.receive(try AcmeWire.ask("1")) } == .malformed)
        #expect(try await authenticator.deviceTokenChanged(.fcm("t")).isEmpty)
        try await authenticator.remove(.ada)
        #expect(try await authenticator.enrollment(.ada) == nil)
    }
}

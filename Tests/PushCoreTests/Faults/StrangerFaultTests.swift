import Foundation
import HTTPTypes
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// What a gateway or another stranger says in the vendor's place, and a refusal that an earlier
/// copy can outlive.
struct StrangerFaultTests {
    @Test(arguments: [400, 401, 403, 404, 405, 408, 409, 410, 418, 422, 451])
    func `a stranger's status is nobody's word: the decision stays, and no other can go out`(
        status: Int
    ) async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        let challenge = try await life.authenticator.open(try AcmeWire.ask("1"))
        await harness.faults.next(.dropBefore)
        _ = try await life.authenticator.deny(.ada("1"), .fraud)
        await harness.faults.next(.status(status))
        _ = try? await life.authenticator.resume()
        #expect(
            try await life.authenticator.record(of: .ada("1"))?.state == .decided(.deny(.fraud)))
        // Whoever approves now makes the denial go out.
        #expect(
            await code { try await life.authenticator.resolve(challenge, with: .approve) }
                == .decidedOtherwise(.deny(.fraud)))
        #expect(
            try await life.authenticator.record(of: .ada("1"))?.state
                == .answered(.deny(.fraud), .delivered))
        #expect(await harness.server.taken == ["1": "deny:fraud"])
    }

    @Test(arguments: [FaultPlan.Fault.dropBefore, .dropAfter])
    func `a refusal of the second copy opens nothing, as the first may be taken yet`(
        fault: FaultPlan.Fault
    ) async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        let challenge = try await life.authenticator.open(try AcmeWire.ask("1", prompt: "choose"))
        await harness.faults.next(fault)
        _ = try await life.authenticator.resolve(challenge, with: .choose("12"))
        guard case .unknown? = try await life.authenticator.resume()[.ada("1")] else {
            Issue.record("The second copy's refusal counted for both.")
            return
        }
        #expect(
            try await life.authenticator.record(of: .ada("1"))?.state == .decided(.choose("12")))
        #expect(
            await code { try await life.authenticator.resolve(challenge, with: .choose("34")) }
                == .decidedOtherwise(.choose("12")))
    }

    @Test func `the vendor's word that no copy was taken opens the challenge again`() async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        await harness.server.sayUntaken()
        let challenge = try await life.authenticator.open(try AcmeWire.ask("1", prompt: "choose"))
        await harness.faults.next(.dropAfter)
        _ = try await life.authenticator.resolve(challenge, with: .choose("12"))
        let outcome = try #require(try await life.authenticator.resume()[.ada("1")])
        guard case .notTaken(let refusal) = outcome, refusal.mayRetry, refusal.appliesToAllCopies
        else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try await life.authenticator.record(of: .ada("1"))?.state == .open)
        #expect(
            try await life.authenticator.resolve(challenge, with: .choose("34")) == .delivered)
    }

    @Test(arguments: [FaultPlan.Fault.dropBefore, .dropAfter])
    func `a final no to the second copy is no last word on the first, unless the vendor says so`(
        fault: FaultPlan.Fault
    ) async throws {
        for isWordOnAll in [false, true] {
            let harness = AuthenticatorHarness(verifier: .willing(pin: "0000"))
            let life = try harness.life(.init(verification: [[.pin]]))
            _ = try await life.authenticator.join("ada")
            if isWordOnAll { await harness.server.sayUntaken() }
            let challenge = try await life.authenticator.open(try AcmeWire.ask("1"))
            await harness.faults.next(fault)
            _ = try await life.authenticator.resolve(challenge, with: .approve)
            let outcome = try #require(try await life.authenticator.resume()[.ada("1")])
            if isWordOnAll {
                #expect(
                    outcome
                        == .notTaken(
                            .init(
                                .verification, mayRetry: false, appliesToAllCopies: true,
                                status: 403)))
            } else if case .unknown(let reason) = outcome {
                #expect(reason.contains("an earlier one may have been taken"))
            } else {
                Issue.record("The second copy's refusal counted for both: \(outcome)")
            }
            #expect(
                try await life.authenticator.record(of: .ada("1"))?.state
                    == .answered(.approve, outcome))
        }
    }

    @Test func `the first copy's refusal opens the challenge, as no other has left`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1", prompt: "choose"))
        _ = try await authenticator.resolve(challenge, with: .choose("12"))
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        #expect(try await authenticator.resolve(challenge, with: .choose("34")) == .delivered)
    }

    // MARK: Time

    @Test func `a lying Date expires nothing, and forgets nothing`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let expiry = morning + 300
        for name in ["1", "2"] {
            _ = try await authenticator.receive(try AcmeWire.ask(name, expiry: expiry))
        }
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
        await harness.server.tell(morning + 90 * 86_400)
        _ = try await authenticator.refresh(.ada)
        await harness.server.tell(nil)
        try await authenticator.resume()
        #expect(try await authenticator.record(of: .ada("1")) != nil)
        #expect(try await authenticator.record(of: .ada("2"))?.state == .open)
        let again = try await authenticator.receive(try AcmeWire.ask("1", expiry: expiry))
        #expect(again.map(\.isNew) == [false])
        #expect(try await authenticator.deny(.ada("2")) == .delivered)
    }

    @Test func `a push that was signed with a far time ends no other challenge`() async throws {
        let harness = AuthenticatorHarness()
        let registry = try PluginRegistry([harness.acme("acme"), harness.acme("acme/b")])
        let authenticator = PushAuthenticator(
            registry, in: harness.environment, configuration: AuthenticatorHarness.quiet)
        for account in ["ada", "bob"] {
            for offer in try authenticator.offers(for: .scanned(text: "acme:\(account)")) {
                _ = try await authenticator.enroll(offer)
            }
        }
        let far = morning + 599
        for name in ["far", "farther"] {
            _ = try await authenticator.receive(
                try AcmeWire.ask(name, to: "bob", issued: far, expiry: far + 120))
        }
        let own = try await authenticator.receive(
            try AcmeWire.ask("1", issued: morning, expiry: morning + 120))
        #expect(own.map(\.isWaiting) == [true])
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
        // The signer's own challenges follow the signer's clock.
        let signers = try await authenticator.receive(
            try AcmeWire.ask("2", to: "bob", issued: morning, expiry: morning + 120))
        #expect(signers.map(\.isWaiting) == [false])
    }

    @Test func `a push that comes a hundred times is one reading of the time`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let far = try AcmeWire.ask("far", issued: morning + 599, expiry: morning + 900)
        for _ in 1...100 { _ = try await authenticator.receive(far) }
        let now = try await authenticator.receive(
            try AcmeWire.ask("1", issued: morning, expiry: morning + 120))
        #expect(now.map(\.isWaiting) == [true])
    }

    @Test func `one vendor's Retry-After keeps no other waiting at the same host`() async throws {
        let harness = AuthenticatorHarness()
        let shared = Endpoint.ServerID(host: "acme.example", of: "acme")
        var response = HTTPResponse(status: .tooManyRequests)
        response.headerFields[.retryAfter] = "600"
        await harness.faults.next(.reply(response))
        let authenticator = try harness.authenticator()
        _ = try? await authenticator.join("ada")
        let elapsed = harness.clock.elapsed
        #expect(await harness.environment.pauses.rest(at: shared, elapsed: elapsed) != nil)
        for other in [
            Endpoint.ServerID(host: "acme.example", of: "acme/b"),
            Endpoint.ServerID(host: "acme.example", port: 8443, of: "acme"),
        ] {
            #expect(await harness.environment.pauses.rest(at: other, elapsed: elapsed) == nil)
        }
    }

    // MARK: Leases

    @Test func `a lease is renewed while what it was taken for goes on`() async throws {
        let harness = AuthenticatorHarness()
        let first = try harness.life(named: "app")
        _ = try await first.authenticator.join("ada")
        _ = try await first.authenticator.receive(try AcmeWire.ask("1"))
        let gate = Gate()
        await harness.server.hold("/answer", at: gate)
        let answering = Task { try await first.authenticator.deny(.ada("1")) }
        await gate.arrival()
        // Four leases' time, in steps that a keeper takes.
        for _ in 1...8 {
            try await eventually("The keeper sleeps.") { first.clock.sleepers == 1 }
            first.clock.advance(by: .seconds(20))
        }
        try await eventually("The keeper sleeps.") { first.clock.sleepers == 1 }
        let second = try harness.life(named: "extension", clock: first.clock)
        guard case .unknown? = try await second.authenticator.resume()[.ada("1")] else {
            Issue.record("The second process sent beside the first one.")
            return
        }
        await gate.open()
        #expect(try await answering.value == .delivered)
        #expect(await harness.server.answers.count == 1)
        #expect(try await second.authenticator.resume().isEmpty)
    }
}

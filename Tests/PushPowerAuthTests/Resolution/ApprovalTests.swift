import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct ApprovalTests {
    @Test func `an operation is approved with the PIN, its data unchanged`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let data = "A1*A100CZK*Q1\\/2**D20190629*Né\u{301}\\\\ \"\u{1F600}"
        let challenge = try await phone.opened(.payment { $0.data = data }, at: id)
        #expect(challenge.prompt == .approve)
        #expect(challenge.verification == [[.pin]])
        #expect(challenge.details(as: PowerAuthOperation.self)?.name == "authorize_payment")
        let outcome = try await phone.authenticator.resolve(challenge, with: .approve)
        #expect(outcome == .delivered)
        #expect(try await phone.bank.status(challenge.id) == .approved)
        let body = try #require(try await phone.bodies(.authorize).first)
        #expect(body["requestObject"]?.object?.members.map(\.name) == ["id", "data"])
        #expect(body["requestObject"]?["id"]?.string == challenge.id.name)
        let sent = try #require(body["requestObject"]?["data"]?.string)
        #expect(sent.utf8.elementsEqual(data.utf8))
    }

    @Test func `the device alone approves what needs no more`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(.oneFactor, at: id)
        #expect(challenge.verification.isEmpty)
        let asked = await phone.customer.requests.count
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await phone.customer.requests.count == asked)
        #expect(try await phone.bank.status(challenge.id) == .approved)
    }

    @Test func `a finger approves where the operation lists it`() async throws {
        let (phone, id) = try await PowerAuthHarness.withFinger()
        let challenge = try await phone.opened(at: id)
        #expect(challenge.verification == [[.biometry], [.pin]])
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await phone.bank.status(challenge.id) == .approved)
        let header = try #require(await phone.lastSignature)
        #expect(header.contains(#"pa_signature_type="possession_biometry""#))
    }

    @Test func `a finger isn't asked for where it isn't listed`() async throws {
        let (phone, id) = try await PowerAuthHarness.withFinger()
        let template = PowerAuthSimulator.OperationTemplate.payment {
            $0.approval = .twoFactors([.possessionKnowledge])
        }
        let challenge = try await phone.opened(template, at: id)
        #expect(challenge.verification == [[.pin]])
        await phone.customer.lay(finger: nil)
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `without a finger, what only a finger may approve can only be rejected`()
        async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        let template = PowerAuthSimulator.OperationTemplate.payment {
            $0.approval = .twoFactors([.possessionBiometry])
        }
        let challenge = try await phone.opened(template, at: id)
        #expect(
            await code { try await phone.authenticator.resolve(challenge, with: .approve) }
                == .unsupported)
        #expect(
            try await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
                == .delivered)
    }

    @Test func `a wrong PIN costs an attempt and says how many are left`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(at: id)
        await phone.customer.type("9999")
        #expect(
            try await phone.authenticator.resolve(challenge, with: .approve)
                == .notTaken(.init(.verification, mayRetry: true, attemptsLeft: 4, status: 401)))
        await phone.customer.type(Customer.pin)
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `the last wrong PIN blocks the activation`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        await phone.customer.type("9999")
        let template = PowerAuthSimulator.OperationTemplate.payment { $0.maximumFailures = 9 }
        let challenge = try await phone.opened(template, at: id)
        for left in [4, 3, 2, 1] {
            let outcome = try await phone.authenticator.resolve(challenge, with: .approve)
            #expect(
                outcome
                    == .notTaken(
                        .init(.verification, mayRetry: true, attemptsLeft: left, status: 401)))
        }
        #expect(
            try await phone.authenticator.resolve(challenge, with: .approve)
                == .notTaken(.init(.verification, mayRetry: true, attemptsLeft: 0, status: 401)))
        let state = try await phone.state(id)
        let isBlocked = if case .blocked? = state { true } else { false }
        #expect(isBlocked)

        // What still waits is answered once the back office has unblocked it, though nobody told.
        await phone.customer.type(Customer.pin)
        #expect(
            await code { try await phone.authenticator.resolve(challenge, with: .approve) }
                == .blocked)
        try await phone.simulator.unblock(id.name)
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a PIN that met a blocked activation isn't called wrong`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(at: id)
        let name = try await phone.received(at: id)
        try await phone.simulator.block(id.name)
        let refused = Outcome.notTaken(
            .init(.stateChanged, mayRetry: true, attemptsLeft: 0, status: 401))
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == refused)
        try await phone.simulator.unblock(id.name)
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        // A no is refused in the same way, and given afterwards.
        try await phone.simulator.block(id.name)
        #expect(try await phone.authenticator.deny(name) == refused)
        try await phone.simulator.unblock(id.name)
        #expect(try await phone.authenticator.deny(name) == .delivered)
    }

    @Test func `a PIN is never sent twice by itself`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        await phone.customer.type("9999")
        let challenge = try await phone.opened(at: id)
        _ = try await phone.authenticator.resolve(challenge, with: .approve)
        #expect(await phone.calls(.authorize) == 1)
        #expect(try await phone.simulator.activation(id.name).failedAttempts == 1)
    }

    @Test func `what was never opened isn't approved`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(at: id)
        let announcement = try await phone.authenticator.announcement(of: name)
        let decision = Decision(
            announcement, .approve, challenge: nil, evidence: [.pin(Secret(Customer.pin.utf8))],
            extras: nil)
        #expect(
            await code { try await phone.answer(to: decision) }
                == .invalidResolution)
    }

    @Test
    func `what was prepared for a PIN that is another now isn't signed, nor moves the counter`()
        async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(at: id)
        let announcement = try await phone.authenticator.announcement(of: challenge.id)
        let old = Secret(Customer.pin.utf8)
        let yes = Decision(
            announcement, .approve, challenge: challenge, evidence: [.pin(old)], extras: nil)
        let account = try await phone.account(id)
        let signing = try await phone.provider.resolver.prepare(yes, of: account)
        try await phone.manager(id).changePIN(from: old, to: Secret("5678".utf8))
        let before = try await phone.record(id).counter
        #expect(await code { try await account.signed(signing) } == .conflict)
        #expect(try await phone.record(id).counter == before)
    }

    @Test(arguments: [Resolution.choose("1"), .enter("1")])
    func `an operation has no other answer than yes and no`(_ resolution: Resolution) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(at: id)
        let announcement = try await phone.authenticator.announcement(of: challenge.id)
        let decision = Decision(
            announcement, resolution, challenge: challenge, evidence: [], extras: nil)
        #expect(
            await code { try await phone.answer(to: decision) }
                == .invalidResolution)
    }

    @Test(arguments: [nil, true] as [Bool?])
    func `what mustn't be approved during a call isn't, unless there is none`(
        _ isOnCall: Bool?
    ) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let template = PowerAuthSimulator.OperationTemplate.payment {
            $0.ui = ["blockApprovalOnCall": true]
        }
        let challenge = try await phone.opened(template, at: id)
        let refused = await code {
            try await phone.authenticator.resolve(
                challenge, with: .approve, extras: PowerAuthApproval(isOnCall: isOnCall))
        }
        #expect(refused == .invalidResolution)
        #expect(await phone.calls(.authorize) == 0)
        let outcome = try await phone.authenticator.resolve(
            challenge, with: .approve, extras: PowerAuthApproval(isOnCall: false))
        #expect(outcome == .delivered)
    }

    @Test func `the server follows before a PIN is asked for, if it is far behind`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(.payment, at: id)
        // Codes that nobody typed anywhere: more than the server looks ahead.
        for _ in 0..<9 {
            try await phone.takeCounter(of: id)
        }
        let challenge = try await phone.authenticator.challenge(name)
        for _ in 0..<9 {
            try await phone.takeCounter(of: id)
        }
        let again = try await phone.authenticator.challenge(challenge.id)
        #expect(try await phone.authenticator.resolve(again, with: .approve) == .delivered)
    }
}

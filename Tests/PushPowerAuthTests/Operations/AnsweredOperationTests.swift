import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// What is signed, and how: `docs/vendors/powerauth.md#operations`.
@Suite struct AnsweredOperationTests: ServedSuite {
    let served: Served

    init() async throws { served = try await Served() }

    // MARK: Factors

    @Test(arguments: [
        (PowerAuthSimulator.Approval.oneFactor, "possession"),
        (.twoFactors([.possessionKnowledge]), "possession_knowledge"),
        (.twoFactors([.possessionBiometry]), "possession_biometry"),
    ])
    func `an approval is signed with the factors that the operation wants`(
        _ approval: PowerAuthSimulator.Approval, _ type: String
    ) async throws {
        let operation = try await bank.ask { $0.approval = approval }
        #expect(try await phone.approve(operation, at: id) == .delivered)
        #expect(try await bank.status(operation) == .approved)
        let header = try await bank.header("X-PowerAuth-Authorization", of: .authorize)
        #expect(header["pa_signature_type"] == type)
    }

    @Test(arguments: [true, false])
    func `where both are allowed, the user chooses`(_ isFinger: Bool) async throws {
        await phone.customer.prefer(finger: isFinger)
        let operation = try await bank.ask()
        #expect(try await phone.approve(operation, at: id) == .delivered)
        let header = try await bank.header("X-PowerAuth-Authorization", of: .authorize)
        #expect(
            header["pa_signature_type"]
                == (isFinger ? "possession_biometry" : "possession_knowledge"))
    }

    @Test func `biometry is offered only where it's listed`() async throws {
        let operation = try await bank.ask { $0.approval = .twoFactors([.possessionKnowledge]) }
        let challenge = try await phone.open(operation, at: id)
        #expect(!challenge.verification.joined().contains(.biometry))
        await phone.customer.prefer(finger: true)
        #expect(
            try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a phone without biometry can't approve what wants it, and can reject it`()
        async throws
    {
        let plain = try await PowerAuthHarness(of: bank, customer: Customer())
        let other = try await plain.activated()
        let operation = try await bank.ask { $0.approval = .twoFactors([.possessionBiometry]) }
        let challenge = try await plain.open(operation, at: other)
        #expect(isDenyOnly(challenge))
        await #expect(throws: PushError.self) {
            _ = try await plain.authenticator.resolve(challenge, with: .approve)
        }
        #expect(await bank.count(.authorize) == 0)
        #expect(
            try await plain.authenticator.resolve(challenge, with: .deny(.unexpected))
                == .delivered)
    }

    @Test(
        arguments: [
            ["type": "ECDSA", "variants": []], ["type": "2FA", "variants": []],
            ["type": "2FA", "variants": ["possession_retina"]],
        ] as [JSON])
    func `a signature that nobody here can make leaves a no`(_ type: JSON) async throws {
        let operation = try await bank.ask { $0.replacedMembers["allowedSignatureType"] = type }
        let challenge = try await phone.open(operation, at: id)
        #expect(isDenyOnly(challenge))
        #expect(
            try await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
                == .delivered)
    }

    @Test func `an operation of a type nobody knows is skipped alone`() async throws {
        let unknown = try await bank.ask {
            $0.replacedMembers["allowedSignatureType"] = ["type": "5FA", "variants": []]
        }
        let broken = try await bank.ask { $0.replacedMembers["operationExpires"] = "soon" }
        let known = try await bank.ask()
        _ = try await phone.authenticator.pending(for: id)
        #expect(try await phone.ledger(known, at: id) == .open)
        #expect(try await phone.ledger(broken, at: id) == nil)
        // One that can be skipped may as well be one that can only be denied.
        if try await phone.ledger(unknown, at: id) != nil {
            let challenge = try await phone.open(unknown, at: id)
            #expect(isDenyOnly(challenge))
        }
    }

    @Test(arguments: [
        "A1*A100CZK*Q238400856/0300**D20190629*NUtility Bill Payment - 05/2019",
        "A1*A1EUR*NCafe\u{301} \\* \\\\ \"/\" \u{1F4B6} \u{2028}", "A0*T\u{E9}", "A0", "free text",
    ])
    func `data goes back byte for byte`(_ data: String) async throws {
        let operation = try await bank.ask { $0.data = data }
        #expect(try await phone.approve(operation, at: id) == .delivered)
        let sent = try await bank.sent(.authorize)
        #expect(Array(sent["data"]?.string?.utf8 ?? "".utf8) == Array(data.utf8))
        #expect(sent["id"] == .string(operation))
    }

    @Test func `a flag that the activation lacks is told, and nothing is burnt`() async throws {
        let operation = try await bank.ask { $0.requiredFlag = "ID" }
        let outcome = try? await phone.approve(operation, at: id)
        #expect(outcome != .delivered)
        #expect(outcome?.refusal?.reason != .verification)
        #expect(try await bank.record(id).failedAttempts == 0)
        try await bank.simulator.setFlags(["ID"], of: id.name)
        #expect(try await bank.status(operation) == .pending)
    }

    @Test func `an activation that is still being verified can't approve`() async throws {
        try await bank.simulator.setFlags(["VERIFICATION_PENDING"], of: id.name)
        let operation = try await bank.ask()
        let outcome = try? await phone.approve(operation, at: id)
        #expect(outcome != .delivered)
        #expect(await bank.count(.authorize) == 1)
        #expect(try await bank.record(id).failedAttempts == 0)
        // The PIN was right: that isn't called wrong.
        #expect(outcome?.refusal?.attemptsLeft ?? 5 == 5)
    }

    // MARK: Reasons

    @Test(arguments: [
        (PowerAuthRejectionReason.unknown, "UNKNOWN"), (.incorrectData, "INCORRECT_DATA"),
        (.unexpectedOperation, "UNEXPECTED_OPERATION"), (.preapproval, "PREAPPROVAL"),
        (.custom("My neighbour's idea"), "My neighbour's idea"),
    ])
    func `each reason is sent by its documented name`(
        _ reason: PowerAuthRejectionReason, _ text: String
    ) async throws {
        let operation = try await bank.ask()
        _ = try await phone.authenticator.pending(for: id)
        let outcome = try await phone.authenticator.deny(
            Challenge.ID(operation, of: id), reason.denyReason)
        #expect(outcome == .delivered)
        #expect(try await bank.sent(.cancel)["reason"] == .string(text))
    }

    @Test func `somebody else's doing is a no with a documented reason`() async throws {
        let operation = try await bank.ask()
        _ = try await phone.authenticator.pending(for: id)
        _ = try await phone.authenticator.deny(Challenge.ID(operation, of: id), .fraud)
        #expect(try await bank.sent(.cancel)["reason"] == "UNEXPECTED_OPERATION")
    }
}

import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Operations that come by a QR code, and whose answer the user carries back.
struct OfflineOperations: Sendable {
    static let uriID = "/operation/authorize/offline"

    let channel: PowerAuthChannel

    private var masterKey: CurvePoint { channel.configuration.application.masterKey }

    /// What a QR code comes to: a notice at the activation whose key verifies it, or, signed for no
    /// activation in particular where there are several, a notice at each.
    func event(
        of code: OfflineCode, in accounts: Accounts
    ) async throws(PushError) -> PushEvent {
        switch code.keyType {
        case .master:
            let targets = try await channel.usable(in: accounts)
            try verify(code, by: masterKey)
            guard targets.count == 1, let target = targets.first else {
                let context = AnnouncedForm.offline(code.text).context
                return .hint(PushEvent.Hint(.challenges, at: targets, context: context))
            }
            return .notice(try announcement(of: code, at: target))
        case .personalized:
            let targets = try await channel.usable(in: accounts)
            for id in targets.sorted(by: { $0.name < $1.name }) {
                guard let key = try? await accounts.account(id)?.record.serverPublicKey,
                    code.isSigned(by: key)
                else { continue }
                return .notice(try announcement(of: code, at: id))
            }
            throw Self.unsigned
        case nil: throw Self.unsigned
        }
    }

    /// The notice of a code that was in a hint, verified again.
    func announcement(
        _ text: String, at account: Account
    ) throws(PushError) -> Announcement {
        try announcement(of: try verified(text, at: account), at: account.id)
    }

    private func announcement(
        of code: OfflineCode, at enrollment: Enrollment.ID
    ) throws(PushError) -> Announcement {
        let operation = try PowerAuthOfflineOperation(verified: code)
        let id = Challenge.ID("offline/\(operation.id)/\(operation.nonce)", of: enrollment)
        let notice = Notice(
            id: id, title: operation.title, body: operation.message, proof: .signature)
        return Announcement(notice, context: AnnouncedForm.offline(code.text).context)
    }

    /// A code that was kept, verified again: what is signed with the user's factors is never taken
    /// on trust.
    private func verified(
        _ text: String, at account: Account
    ) throws(PushError) -> OfflineCode {
        guard let code = OfflineCode(text) else { throw Self.unsigned }
        switch code.keyType {
        case .master: try verify(code, by: masterKey)
        case .personalized: try verify(code, by: try account.record.serverPublicKey)
        case nil: throw Self.unsigned
        }
        return code
    }

    private func verify(_ code: OfflineCode, by key: CurvePoint) throws(PushError) {
        guard code.isSigned(by: key) else { throw Self.unsigned }
    }

    private static let unsigned = PushError(
        .untrusted, "No key that is known here has signed the offline operation.")

    // MARK: Opening and answering

    func challenge(
        _ text: String, for announcement: Announcement, of account: Account
    ) throws(PushError) -> Challenge {
        let operation = try PowerAuthOfflineOperation(verified: try verified(text, at: account))
        let hasBiometry = try account.record.hasBiometry
        let isBiometry = operation.flags.contains(.biometryAllowed) && hasBiometry
        return Challenge(
            for: announcement.notice, prompt: operation.prompt,
            content: Challenge.Content(fields: operation.fields, details: operation),
            verification: isBiometry ? [[.biometry], [.pin]] : [[.pin]],
            context: announcement.context)
    }

    /// Makes the code that the user copies; a counter's value is used up by it.
    func answer(
        _ text: String, to decision: Decision, of account: Account
    ) async throws(PushError) -> Signing {
        guard decision.resolution == .approve else {
            guard decision.resolution.isDenial else {
                throw PushError(.invalidResolution, "An operation is approved or rejected.")
            }
            return Signing(Answer(PreparedAnswer.nothing.sealed, kept: .whole))
        }
        guard let challenge = decision.challenge, case .approve = challenge.prompt else {
            throw PushError(.invalidResolution, "The operation must be opened first.")
        }
        let code = try verified(text, at: account)
        let operation = try PowerAuthOfflineOperation(verified: code)
        try decision.check(call: operation.flags.contains(.blockApprovalOnCall))
        let factors = try PowerAuthFactors(for: challenge.verification, decision.evidence)
        guard try account.record.mayRunAhead else {
            throw PushError(
                .blocked,
                "Too many codes were made that the server hasn't seen: go online once, where "
                    + "refreshing the enrollment lets the server follow.")
        }
        let data = RequestSignature.normalized(
            uriID: Self.uriID, nonce: Array(code.nonce), body: operation.body,
            applicationSecret: RequestSignature.offlineSecret)
        return try await channel.signing(by: factors, of: account) {
            (taken) throws(PushError) -> Answer in
            let signature = try RequestSignature.offline(
                keys: taken.keys, counter: taken.counter, over: data)
            // Until the digits are shown, nobody but the user may make them again: a decision is
            // kept, no signature. Once they are, they are the outcome, and the counter's value of
            // theirs is no longer on record, without which no PIN can be tried against them.
            return Answer(PreparedAnswer.code(Secret(signature.utf8)).sealed, kept: .nothing)
        }
    }
}

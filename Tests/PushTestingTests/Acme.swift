import Foundation
import PushCore
import PushTesting

/// A provider of the fictional vendor Acme, sound or with one of the flaws that the conformance
/// suite must find.
struct Acme: PushProvider, Enroller, Resolver {
    enum Flaw: CaseIterable {
        case verifiesNothing, approvesUnknownPrompts, recognizesEverything, takesIdentifierOutside
        case takesTitleOutside, approvesByDefault, forgetsUnknownProofs, preparesAnything,
            writesBeforeVerifying
        case ignoresWithdrawals, hidesExpiry, refusesEverything, ignoresPartOfTheMAC
    }

    let id: ProviderID = "acme"
    let flaw: Flaw?
    let environment: PushEnvironment

    init(_ flaw: Flaw? = nil, in environment: PushEnvironment) {
        self.flaw = flaw
        self.environment = environment
    }

    var accounts: Accounts { environment.accounts(for: id) }
    var enroller: any Enroller { self }
    var resolver: any Resolver { self }

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        guard
            flaw == .recognizesEverything || message["acme"]?.string != nil
                || message["acme-hint"] == "challenges"
        else { return nil }
        return PushMessage.Candidate(message, verifiedBy: event(from:in:))
    }

    private func event(
        from message: PushMessage, in accounts: Accounts
    ) async throws(PushError) -> PushEvent {
        if message["acme-hint"] != nil {
            return .hint(PushEvent.Hint(.challenges, at: [AcmeWire.ada]))
        }
        guard flaw != .refusesEverything, let text = message["acme"]?.string,
            let name = message["to"]?.string, let mac = message["mac"]?.string
        else { throw PushError(.malformed, "An Acme push lacks a member.") }
        let enrollment = Enrollment.ID(name, of: id)
        if flaw == .writesBeforeVerifying {
            // Another value each time: what stays as it was isn't written.
            try await accounts.existing(AcmeWire.ada).changeEnrollment {
                $0.issuer = $0.issuer == nil ? "Touched" : nil
            }
        }
        if flaw != .verifiesNothing {
            let key: Secret = try await accounts.existing(enrollment).credential()
            try verify(mac, of: text, key)
        }
        return try event(try JSON(parsing: text), at: enrollment, beside: message)
    }

    private func verify(_ mac: String, of text: String, _ key: Secret) throws(PushError) {
        let expected = AcmeWire.mac(
            text, key: key.copiedText())
        let count = flaw == .ignoresPartOfTheMAC ? 20 : expected.count
        guard mac.prefix(count) == expected.prefix(count) else {
            throw PushError(.untrusted, "The MAC doesn't hold.")
        }
    }

    private func event(
        _ claims: JSON, at enrollment: Enrollment.ID, beside message: PushMessage
    ) throws(PushError) -> PushEvent {
        let outside = flaw == .takesIdentifierOutside ? message["mid"]?.string : nil
        guard let name = outside ?? claims["id"]?.string else {
            throw PushError(.malformed, "The claims lack an identifier.")
        }
        let challenge = Challenge.ID(name, of: enrollment)
        switch claims["kind"]?.string {
        case "ask": break
        case "cancel" where flaw == .ignoresWithdrawals:
            return .hint(PushEvent.Hint(.finished(name), at: []))
        case "cancel": return .withdrawal(Withdrawal(challenge, .cancelled))
        default: return .incompatible(PushEvent.Incompatible(challenge, kind: "another kind"))
        }
        let expiry = flaw == .hidesExpiry ? nil : claims["expiry"]?.integer
        let title = flaw == .takesTitleOutside ? message["title"] : claims["title"]
        let notice = Notice(
            id: challenge, title: title?.string,
            expiry: expiry.map { Date(timeIntervalSince1970: Double($0)) }, proof: .mac)
        let context = Secret.Record(fields: [
            "prompt": claims["prompt"] ?? .null, "proof": claims["proof"] ?? .null,
        ]).sealed
        return .notice(Announcement(notice, context: context))
    }

    // MARK: Resolver

    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        let fields = try Secret.Record(reading: announcement.context).fields
        var prompt: Challenge.Prompt =
            switch fields["prompt"]?.string {
            case "approve": .approve
            case "choose": .choose(["12", "34"])
            case nil where flaw == .approvesByDefault: .approve
            case _ where flaw == .approvesUnknownPrompts: .approve
            default: .denyOnly("an unknown prompt")
            }
        var proofs: [[Factor]] = []
        switch fields["proof"] ?? .null {
        case .null: break
        case "biometry": proofs = [[.biometry]]
        default: if flaw != .forgetsUnknownProofs { prompt = .denyOnly("an unknown proof") }
        }
        return Challenge(
            for: announcement.notice, prompt: prompt, verification: proofs,
            context: announcement.context)
    }

    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        if case .denyOnly? = decision.challenge?.prompt, !decision.resolution.isDenial,
            flaw != .preparesAnything
        {
            throw PushError(.unsupported, "It can only be denied.")
        }
        return Signing(Answer(Secret([1]), kept: .whole))
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome { .delivered }

    // MARK: Enroller

    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? { nil }
    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment { throw PushError(.unsupported, "Not here.") }
    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {}
    func refresh(_ account: Account) async throws(PushError) -> Enrollment { account.enrollment }
    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        try await accounts.delete(account.id)
    }
}

import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Verifies challenges, and reads them.
///
/// The order is normative: the first failure decides, and nothing is read for anything but finding
/// the key before the signature holds.
struct ChallengeVerifier {
    let provider: ProviderID
    let configuration: PrivacyIDEA.Configuration
    let clock: any PushClock
    let tokens: Tokens

    /// What a push announces.
    func event(
        from fields: ChallengeFields, in accounts: Accounts
    ) async throws(PushError) -> PushEvent {
        try fields.checkSize()
        guard SerialText.isValid(fields.serial) else {
            throw PushError(.malformed, "The serial isn't letters, digits, - and _.")
        }
        let token = try await signer(of: fields, in: accounts)
        try fields.checkForm()
        // The list comes over TLS from the server itself, so there is one reading of it.
        guard !fields.isAmbiguous else { return .hint(PushEvent.Hint(.challenges, at: [token.id])) }
        return .notice(try announcement(of: fields, for: token, pushed: clock.now))
    }

    /// What an entry of an enrollment's list announces.
    ///
    /// - Throws: `PushError`: `malformed` or `untrusted`. The other entries count all the same.
    func announcement(
        listed entry: JSON, for token: Token
    ) throws(PushError) -> Announcement {
        guard let fields = ChallengeFields(entry) else {
            throw PushError(.malformed, "An entry of the list lacks a field.")
        }
        try fields.checkSize()
        guard fields.serial.hasSameBytes(as: token.credential.serial),
            token.key.verifies(fields.signature, over: fields.signedText)
        else {
            throw PushError(.untrusted, "An entry of the list isn't signed for this token.")
        }
        try fields.checkForm()
        return try announcement(of: fields, for: token, pushed: nil)
    }

    /// The rest, once the signature holds.
    private func announcement(
        of fields: ChallengeFields, for token: Token, pushed: Date?
    ) throws(PushError) -> Announcement {
        let reasons = try PrivacyIDEA.DeclineReason.known(in: fields, by: token.key)
        guard let endpoint = try? Endpoint(fields.url),
            configuration.allows(endpoint, for: token.credential.url)
        else {
            throw PushError(.untrusted, "The challenge leads to an origin that isn't the token's.")
        }
        let notice = Notice(
            id: Challenge.ID(fields.nonce, of: token.id),
            title: fields.title.isEmpty ? nil : fields.title,
            body: fields.question.isEmpty ? nil : fields.question, proof: .signature)
        let context = ChallengeContext(
            fields, url: endpoint, reasons: reasons, unlock: token.credential.unlock,
            pushed: pushed)
        return Announcement(notice, context: context.sealed)
    }

    // MARK: Whose push it is

    /// The enrollment whose server has signed a push. Two servers may have one serial, so the key
    /// tells.
    private func signer(
        of fields: ChallengeFields, in accounts: Accounts
    ) async throws(PushError) -> Token {
        let signed = fields.signedText
        var hasTried = false
        // Found by key: where the push says that its server is. It costs a stranger nothing to say so.
        let likely = likelySigners(of: fields)
        for id in likely {
            guard let token = try await tokens.token(id, in: accounts) else { continue }
            hasTried = true
            if token.key.verifies(fields.signature, over: signed) { return token }
        }
        for id in try await tokens.ids(ofSerial: fields.serial, in: accounts)
        where !likely.contains(id) {
            guard let token = try await tokens.token(id, in: accounts) else { continue }
            hasTried = true
            if token.key.verifies(fields.signature, over: signed) { return token }
        }
        throw hasTried
            ? PushError(.untrusted, "No server of a token with the push's serial has signed it.")
            : PushError(.unknownEnrollment, "No token on this device has the push's serial.")
    }

    private func likelySigners(of fields: ChallengeFields) -> [Enrollment.ID] {
        guard let endpoint = try? Endpoint(fields.url) else { return [] }
        return configuration.origins(leadingTo: endpoint).map {
            PrivacyIDEACredential.id(serial: fields.serial, origin: $0, of: provider)
        }
    }
}

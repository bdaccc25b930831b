import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Turns confirm tokens into events.
///
/// The order is normative: the first failure decides, and nothing is read for anything but finding
/// the key before the signature holds.
struct ConfirmVerifier: Sendable {
    let provider: ProviderID
    let configuration: KeycloakConfiguration
    let realmKeys: IssuerKeys

    func event(
        of token: ConfirmToken, in accounts: Accounts
    ) async throws(PushError) -> PushEvent {
        let id = Enrollment.ID(token.credentialID, of: provider)
        let account = try await accounts.existing(id)
        let credential = try account.credential(as: KeycloakCredential.self)
        guard token.issuer.hasSameBytes(as: credential.issuer) else {
            throw PushError(.untrusted, "The token names another realm than the enrollment's.")
        }
        guard let realm = configuration.realm(credential.issuer) else {
            throw PushError(
                .invalidArgument, "The configuration has no realm of the enrollment's issuer.")
        }
        let jwt: VerifiedJWT
        do throws(PushError) {
            jwt = try await realmKeys.verified(token.jwt, at: realm.keys)
        } catch  where error.isOfNetwork {
            // It may be genuine. The list tells, once the realm can be reached.
            return .hint(PushEvent.Hint(.challenges, at: [id]))
        }
        return try event(of: jwt, for: id)
    }

    private func event(
        of jwt: VerifiedJWT, for id: Enrollment.ID
    ) throws(PushError) -> PushEvent {
        guard let name = jwt.claims["cid"]?.string, UUIDText.isValid(name) else {
            throw PushError(.malformed, "The token's cid isn't a UUID.")
        }
        guard let expiry = jwt.time("exp") else {
            throw PushError(.malformed, "The token's exp isn't a time.")
        }
        // The same key signs tokens of other kinds, whose typ is a word.
        guard let kind = jwt.claims["typ"]?.integer, let version = jwt.claims["ver"]?.integer
        else {
            throw PushError(.malformed, "The token's typ and ver aren't numbers.")
        }
        let notice = Notice(
            id: Challenge.ID(name, of: id),
            issued: jwt.time("iat").map { Date(timeIntervalSince1970: Double($0)) },
            expiry: Date(timeIntervalSince1970: Double(expiry)), proof: .signature)
        // The answer that a same-device link may have is left out: it is the user's to give, and a
        // stranger can send such a link.
        var context = ChallengeContext()
        // The list has the same challenge, and doesn't say that it is another kind.
        context.isNewer = kind != 1 || version != 1
        return .notice(Announcement(notice, context: context.sealed))
    }
}

extension PushError {
    /// Whether the keys couldn't be had, so that nothing is known of what they would verify.
    fileprivate var isOfNetwork: Bool {
        switch code {
        case .unreachable, .interrupted, .oversizedReply, .server: true
        default: false
        }
    }
}

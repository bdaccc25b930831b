import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The order of the checks is part of the protocol: nothing of the payload is read before its
/// signature held.
extension PlusAuth {
    private static let mostCandidates = 50

    /// An account whose key verified a context.
    private struct Match {
        let enrollment: Enrollment.ID
        let credential: PlusAuthCredential
        let payload: Data
    }

    func verifiedEvent(from message: PushMessage) async throws(PushError) -> PushEvent {
        guard let text = ContextText(message) else {
            throw PushError(.malformed, "Not a push of this vendor.")
        }
        let match = try await match(for: try text.jws())
        let claims = try ContextClaims(parsing: match.payload)
        try await checkTimes(of: claims, at: match.credential.origin)
        try checkResolveURL(of: claims, match)
        // Before the core knows a repeat: a blocked account refuses every push, answered or not.
        try await enforceSIM(claims.simSetting, on: match.enrollment, match.credential)
        let id = Challenge.ID(claims.challengeName, of: match.enrollment)
        if case .other = try claims.kind {
            return .incompatible(
                Incompatible(id, kind: claims.type, expiry: expiry(of: claims)))
        }
        let info = claims.all["info"]
        let notice = Notice(
            id: id, title: DisplayLine(info?["application"])?.text,
            body: DisplayLine(info?["location"]?["city"])?.text, issued: claims.issued,
            expiry: expiry(of: claims), proof: .signature)
        return .notice(Announcement(notice, context: Secret(match.payload)))
    }

    /// The account a context is for: the one that `kid` names, else any whose key verifies it.
    private func match(for jws: UnverifiedJWS) async throws(PushError) -> Match {
        let header = jws.unverifiedHeader
        guard let algorithm = KeyAlgorithm(rawValue: header.algorithm) else {
            throw PushError(.untrusted, "The context's alg is neither RS256 nor ES256.")
        }
        if let name = header.keyID, let named = try await match(for: jws, named: name) {
            return named
        }
        var count = 0
        for enrollment in try await vault.enrollments().reversed() where count < Self.mostCandidates
        {
            guard let secret = try await vault.secret(of: enrollment.id),
                let credential = try? PlusAuthCredential(secret),
                credential.algorithm == algorithm
            else { continue }
            count += 1
            do throws(PushError) {
                return try verified(jws, by: credential, of: enrollment.id)
            } catch  where error.code == .untrusted || error.code == .malformed {
                continue
            }
        }
        throw PushError(.untrusted, "No account's key verifies the context.")
    }

    /// - Returns: `nil` if there is no such account.
    private func match(
        for jws: UnverifiedJWS, named name: String
    ) async throws(PushError) -> Match? {
        // In the form of a thumbprint, and so nothing that a store could take for something else.
        guard name.utf8.count == 43, name.utf8.allSatisfy(ContextText.isURL) else { return nil }
        let enrollment = Enrollment.ID(name, of: id)
        guard let secret = try await vault.secret(of: enrollment) else { return nil }
        return try verified(jws, by: try PlusAuthCredential(secret), of: enrollment)
    }

    private func verified(
        _ jws: UnverifiedJWS, by credential: PlusAuthCredential, of enrollment: Enrollment.ID
    ) throws(PushError) -> Match {
        let verified = try credential.verificationKey.verified(jws)
        return Match(enrollment: enrollment, credential: credential, payload: verified.payload)
    }

    private func checkTimes(
        of claims: ContextClaims, at origin: String
    ) async throws(PushError) {
        try claims.checkTimes()
        guard claims.isFuture(at: environment.clock.now) else { return }
        // This device's clock may be slow; the server's own word counts more.
        guard let now = await serverTime(at: origin)?.upperBound, !claims.isFuture(at: now) else {
            throw PushError(.malformed, "The context's iat is in the future.")
        }
    }

    private func checkResolveURL(
        of claims: ContextClaims, _ match: Match
    ) throws(PushError) {
        do throws(PushError) {
            try ResolveURL.check(claims, match.credential, configuration)
        } catch {
            observe(
                .security(error.code), "A genuine push names a foreign resolve_url.",
                at: match.enrollment)
            throw error
        }
    }

    /// `exp`, or earlier by the app's own limit.
    private func expiry(of claims: ContextClaims) -> Date {
        guard let age = configuration.maxChallengeAge else { return claims.expiry }
        let seconds =
            Double(age.components.seconds) + Double(age.components.attoseconds) * 1e-18
        return min(claims.expiry, claims.issued + seconds)
    }
}

extension ContextClaims {
    fileprivate var simSetting: PlusAuth.SIMSetting? {
        bindSIM.map { PlusAuth.SIMSetting(bindSIM: $0, issued: issued, expiry: expiry) }
    }
}

import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Turns contexts into events.
///
/// The order of the checks is part of the protocol: nothing of the payload is read before its
/// signature held.
struct ContextVerifier: Sendable {
    let channel: PlusAuthChannel
    let matcher: AccountMatcher
    let sim: SIMEnforcement

    func event(
        from text: ContextText, in accounts: Accounts
    ) async throws(PushError) -> PushEvent {
        let match = try await matcher.match(for: try text.jws(), in: accounts)
        let claims = try match.verified.withPayload { bytes in
            Result { () throws(PushError) in try ContextClaims(parsing: bytes) }
        }.get()
        try await checkTimes(of: claims, match)
        try checkResolveURL(of: claims, match)
        // Before the core knows a repeat: a blocked account refuses every push, answered or not.
        try await sim.enforce(claims.simSetting, on: match.account)
        let id = Challenge.ID(claims.challengeName, of: match.account.id)
        if case .other = try claims.kind {
            return .incompatible(
                PushEvent.Incompatible(id, kind: claims.type, expiry: expiry(of: claims)))
        }
        let info = claims.all["info"]
        let notice = Notice(
            id: id, title: DisplayLine(info?["application"])?.text,
            body: DisplayLine(info?["location"]?["city"])?.text, issued: claims.issued,
            expiry: expiry(of: claims), proof: .signature)
        let context = match.verified.withPayload { Secret(copying: $0) }
        return .notice(Announcement(notice, context: context))
    }

    private func checkTimes(
        of claims: ContextClaims, _ match: AccountMatch
    ) async throws(PushError) {
        try claims.checkTimes()
        guard claims.isFuture(at: channel.environment.clock.now) else { return }
        // This device's clock may be slow; the server's own word counts more.
        let known = await channel.serverTime(of: match.account.id, at: match.credential.origin)
        guard let now = known?.upperBound, !claims.isFuture(at: now) else {
            throw PushError(.malformed, "The context's iat is in the future.")
        }
    }

    private func checkResolveURL(
        of claims: ContextClaims, _ match: AccountMatch
    ) throws(PushError) {
        do throws(PushError) {
            try ResolveURL.check(claims, match.credential, channel.configuration)
        } catch {
            channel.observe(
                .security(error.code), "A genuine push names a foreign resolve_url.",
                at: match.account.id)
            throw error
        }
    }

    /// `exp`, or earlier by the app's own limit.
    private func expiry(of claims: ContextClaims) -> Date {
        guard let age = channel.configuration.maxChallengeAge else { return claims.expiry }
        return min(claims.expiry, claims.issued + age.inSeconds)
    }
}

extension ContextClaims {
    fileprivate var simSetting: SIMEnforcement.Setting? {
        bindSIM.map { SIMEnforcement.Setting(bindSIM: $0, issued: issued, expiry: expiry) }
    }
}

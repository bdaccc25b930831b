import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds the account that a context is for.
struct AccountMatcher: Sendable {
    let channel: PlusAuthChannel

    /// Shared by all copies of this value, as its limit is the provider's.
    private let search = AccountSearch()

    /// Shared as well.
    private let verificationKeys = VerificationKeys()

    private var vault: Vault { channel.vault }

    /// How many accounts that a push leads to by what it says are tried at the most.
    private static let maximumClaimedAccounts = 3

    /// The account a context is for: the one that `kid` names, else one that its unverified claims
    /// lead to, else any whose key verifies it.
    func match(for jws: UnverifiedJWS) async throws(PushError) -> AccountMatch {
        let header = jws.unverifiedHeader
        guard let algorithm = PlusAuthKeyAlgorithm(rawValue: header.algorithm) else {
            throw PushError(.untrusted, "The context's alg is neither RS256 nor ES256.")
        }
        if let name = header.keyID, let named = try await match(for: jws, named: name) {
            return named
        }
        if let match = try await claimedMatch(by: jws, algorithm) { return match }
        let environment = channel.environment
        return try await search.match(in: vault, environment.clock, environment.random) {
            (enrollment) async throws(PushError) in
            try await match(for: jws, algorithm, of: enrollment)
        }
    }

    /// - Returns: `nil` if there is no such account.
    private func match(
        for jws: UnverifiedJWS, named name: String
    ) async throws(PushError) -> AccountMatch? {
        // In the form of a thumbprint, and so nothing that a store could take for something else.
        guard name.utf8.count == 43, name.utf8.allSatisfy(ContextText.isURL) else { return nil }
        let enrollment = Enrollment.ID(name, of: channel.provider)
        guard let secret = try await vault.secret(of: enrollment) else { return nil }
        return try await match(for: jws, by: try PlusAuthCredential(secret), of: enrollment)
    }

    private func claimedMatch(
        by jws: UnverifiedJWS, _ algorithm: PlusAuthKeyAlgorithm
    ) async throws(PushError) -> AccountMatch? {
        guard let claim = AccountClaim(unverified: jws.unverifiedPayload) else { return nil }
        // The newest is the one that PlusAuth most likely has; what others failed to finish is older.
        let holders = try await claim.holders(in: vault).sorted { $0.created > $1.created }
        for holder in holders.prefix(Self.maximumClaimedAccounts) {
            if let match = try await match(for: jws, algorithm, of: holder.id) { return match }
        }
        return nil
    }

    /// - Returns: `nil` if it isn't this account's.
    private func match(
        for jws: UnverifiedJWS, _ algorithm: PlusAuthKeyAlgorithm, of enrollment: Enrollment.ID
    ) async throws(PushError) -> AccountMatch? {
        do throws(PushError) {
            guard let secret = try await vault.secret(of: enrollment) else { return nil }
            let credential = try PlusAuthCredential(secret)
            guard credential.algorithm == algorithm else { return nil }
            return try await match(for: jws, by: credential, of: enrollment)
        } catch  where error.code == .untrusted || error.code == .malformed {
            return nil
        }
    }

    private func match(
        for jws: UnverifiedJWS, by credential: PlusAuthCredential, of enrollment: Enrollment.ID
    ) async throws(PushError) -> AccountMatch {
        let key = try await verificationKeys.key(of: credential, enrollment)
        return try AccountMatch(jws, by: key, of: credential, enrollment)
    }

    /// Drops what is kept in memory; not the searches that are under way.
    func dropCaches() async {
        await search.dropCaches()
        await verificationKeys.dropCaches()
    }
}

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

    /// How many accounts that a push leads to by what it says are tried at the most.
    private static let maximumClaimedAccounts = 3

    /// The account a context is for: the one that `kid` names, else one that its unverified claims
    /// lead to, else any whose key verifies it.
    func match(
        for jws: UnverifiedJWS, in accounts: Accounts
    ) async throws(PushError) -> AccountMatch {
        let header = jws.unverifiedHeader
        guard let algorithm = PlusAuthKeyAlgorithm(rawValue: header.algorithm) else {
            throw PushError(.untrusted, "The context's alg is neither RS256 nor ES256.")
        }
        if let name = header.keyID,
            let named = try await match(for: jws, named: name, in: accounts)
        {
            return named
        }
        if let match = try await claimedMatch(by: jws, algorithm, in: accounts) { return match }
        let environment = channel.environment
        return try await search.match(in: accounts, environment.clock, environment.random) {
            (id) async throws(PushError) in
            try await match(for: jws, algorithm, of: id, in: accounts)
        }
    }

    /// - Returns: `nil` if there is no such account.
    private func match(
        for jws: UnverifiedJWS, named name: String, in accounts: Accounts
    ) async throws(PushError) -> AccountMatch? {
        // In the form of a thumbprint, and so nothing that a store could take for something else.
        guard name.utf8.count == 43, name.utf8.allSatisfy(ContextText.isURL) else { return nil }
        let id = Enrollment.ID(name, of: channel.provider)
        guard let account = try await accounts.account(id) else { return nil }
        return try await match(for: jws, by: try account.credential(), of: account)
    }

    private func claimedMatch(
        by jws: UnverifiedJWS, _ algorithm: PlusAuthKeyAlgorithm, in accounts: Accounts
    ) async throws(PushError) -> AccountMatch? {
        guard let claim = AccountClaim(unverified: jws.unverifiedPayload) else { return nil }
        // The newest is the one that PlusAuth most likely has; what others failed to finish is older.
        let holders = try await claim.holders(in: accounts).sorted { $0.created > $1.created }
        for holder in holders.prefix(Self.maximumClaimedAccounts) {
            if let match = try await match(for: jws, algorithm, of: holder.id, in: accounts) {
                return match
            }
        }
        return nil
    }

    /// - Returns: `nil` if it isn't this account's.
    private func match(
        for jws: UnverifiedJWS, _ algorithm: PlusAuthKeyAlgorithm, of id: Enrollment.ID,
        in accounts: Accounts
    ) async throws(PushError) -> AccountMatch? {
        do throws(PushError) {
            guard let account = try await accounts.account(id) else { return nil }
            let credential: PlusAuthCredential = try account.credential()
            guard credential.algorithm == algorithm else { return nil }
            return try await match(for: jws, by: credential, of: account)
        } catch  where error.code == .untrusted || error.code == .malformed {
            return nil
        }
    }

    private func match(
        for jws: UnverifiedJWS, by credential: PlusAuthCredential, of account: Account
    ) async throws(PushError) -> AccountMatch {
        let key = try verificationKeys.key(of: credential, account.id)
        return try AccountMatch(jws, by: key, of: credential, account)
    }

    /// Drops what is kept in memory; not the searches that are under way.
    func dropCaches() async {
        await search.dropCaches()
        verificationKeys.dropCaches()
    }
}

package import PushCore

/// An app of one provider, in front of a server that a test has in hand.
package protocol ProviderHarness: Sendable {
    associatedtype Provider: PushProvider

    var environment: PushEnvironment { get }
    var provider: Provider { get }
    var authenticator: PushAuthenticator { get }
}

extension ProviderHarness {
    /// The provider's accounts.
    package var accounts: Accounts { environment.accounts(for: provider.id) }

    /// Joins what an invitation offers first.
    ///
    /// - Throws: `PushError`, but another error if there is no offer: no test may take that for the
    ///   vendor's refusal.
    @discardableResult
    package func enroll(_ invitation: Invitation) async throws -> Enrollment {
        guard let offer = try authenticator.offers(for: invitation).first else { throw NoOffer() }
        return try await authenticator.enroll(offer)
    }

    /// Hands the app the pushes that are on their way.
    @discardableResult
    package func receive(
        from server: some VendorSimulator
    ) async throws(PushError) -> [Reception] {
        var receptions: [Reception] = []
        for push in await server.takePushes() {
            receptions += try await authenticator.receive(push.message())
        }
        return receptions
    }

    /// What the provider alone makes of a message.
    package func event(of message: PushMessage) async throws(PushError) -> PushEvent? {
        try await provider.candidate(in: message)?.verified(with: accounts)
    }

    /// The answer that the provider alone makes of a decision.
    package func answer(to decision: Decision) async throws(PushError) -> Answer {
        let account = try await accounts.existing(decision.announcement.notice.id.enrollment)
        return try await account.signed(
            try await provider.resolver.prepare(decision, of: account))
    }

    /// What is on record of a challenge.
    package func state(of id: Challenge.ID) async throws(PushError) -> ChallengeRecord.State? {
        try await authenticator.record(of: id)?.state
    }
}

private struct NoOffer: Error {}

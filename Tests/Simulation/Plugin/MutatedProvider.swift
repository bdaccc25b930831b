import PushCore

@testable import FictionalVendor

/// A provider of which something is wrong, in a test of the checker.
struct MutatedProvider: ProviderVariant {
    let base: any PushProvider
    let mutation: Mutation
    let environment: PushEnvironment

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        let candidate = base.candidate(in: message)
        guard mutation == .sharesSignedTimes else { return candidate }
        return candidate.map { whole in
            PushMessage.Candidate(whole) { (whole, accounts) async throws(PushError) -> PushEvent in
                let event = try await whole.verified(with: accounts)
                if case .notice(let announcement) = event {
                    try await tell(announcement.notice, accounts)
                }
                return event
            }
        }
    }

    /// Tells the time of one enrollment's push as one that every other's key signed, twice.
    private func tell(_ notice: Notice, _ accounts: Accounts) async throws(PushError) {
        guard let issued = notice.issued else { return }
        let clock = environment.clock
        for other in try await accounts.enrollments() where other.id != notice.id.enrollment {
            for _ in 0..<2 {
                await clock.serverTime.note(
                    signed: issued, for: other.id, sent: clock.elapsed, received: clock.elapsed)
            }
        }
    }

    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
        guard mutation != .tellsNoToken else { return }
        try await base.enroller.update(deviceToken, of: account)
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        let again = again && mutation != .forgetsCopies
        do throws(PushError) {
            let outcome = try await base.resolver.send(
                answer, for: &announcement, of: account, again: again)
            switch outcome {
            // What isn't provably the vendor's may be a stranger's.
            case .unknown where mutation == .believesStrangers: return Self.strangersRefusal
            case .notTaken(let refusal) where mutation == .vouchesForCopies:
                return .notTaken(
                    .init(
                        refusal.reason, mayRetry: refusal.mayRetry, appliesToAllCopies: true,
                        attemptsLeft: refusal.attemptsLeft))
            case .delivered, .notTaken, .expired, .answeredElsewhere, .cancelled, .code, .ended,
                .verifyAgain, .unknown:
                return outcome
            }
        } catch {
            switch (mutation, error.code) {
            case (.guessesDelivery, .interrupted): return .delivered
            case (.believesStrangers, .server(400..<500)), (.believesStrangers, .interrupted):
                return Self.strangersRefusal
            default: throw error
            }
        }
    }

    private static let strangersRefusal = Outcome.notTaken(.init(.other, mayRetry: true))

    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        guard mutation != .saysNoEnd else { return .unknown }
        return try await base.resolver.status(for: &announcement, of: account, kept: kept)
    }

    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        guard mutation != .listsNothing else { return Pending([], isComplete: false) }
        var pending = try await base.resolver.pending(of: account, after: hint)
        if mutation == .listsIncompletely { pending.isComplete = false }
        return pending
    }
}

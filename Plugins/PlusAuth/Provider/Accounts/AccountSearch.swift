import PushCore

/// The `underlying` error of a push that names no account, where too few accounts could be tried to
/// find out whose it is. If it is handed in again after ``wait``, it may be found genuine.
public struct PlusAuthUntriedAccounts: Error, Hashable, Sendable {
    /// How long until accounts are tried again.
    public let wait: Duration
}

/// Finds the account of a push that neither names one nor leads to one, by trying.
///
/// Each try costs a verification, and pushes are cheap to forge: so there is a limit of tries in a
/// minute. Beyond it each push has one try, at an account chosen by chance, as it would have if it
/// named one. A search goes on behind the accounts that the one before had tried, so that one push
/// that comes again meets all.
actor AccountSearch {
    /// How many accounts are tried in a minute.
    private static let maximumTries = 1_000
    private static let minute = Duration.seconds(60)

    private var beginning: Duration?
    private var triesLeft = 0

    /// All accounts when they were listed last, newest first.
    private var listed: [Enrollment.ID] = []
    private var position = 0

    private var isSearching = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Tries accounts, one search after the other.
    ///
    /// - Parameters:
    ///   - accounts: All accounts.
    ///   - clock: The time.
    ///   - random: Chooses the account where there is only one try.
    ///   - attempt: Tries one account; `nil` if the push isn't its.
    /// - Returns: The first account that the push is for.
    /// - Throws: `PushError` with the code `untrusted` if no account that was tried verifies the
    ///   push.
    func match(
        in accounts: Accounts, _ clock: any PushClock, _ random: any RandomSource,
        _ attempt: @Sendable (Enrollment.ID) async throws(PushError) -> AccountMatch?
    ) async throws(PushError) -> AccountMatch {
        await enter()
        defer { leave() }
        let wait = refill(at: clock.elapsed)
        // Listing costs as much as trying all: so it is done only where some may be tried.
        let isListed = triesLeft > 0
        // As this search has them: what is kept for the next one may be dropped meanwhile.
        var ids = listed
        if isListed { ids = try await accounts.enrollments().reversed().map(\.id) }
        listed = ids
        // The one try by chance leaves alone where the next search goes on.
        var index = position
        if !isListed, !ids.isEmpty {
            index = random.bytes(4).withBytes { Int($0.loadUnaligned(as: UInt32.self)) }
        }
        let tries = min(ids.count, max(triesLeft, 1))
        for _ in 0..<tries {
            index %= ids.count
            triesLeft = max(0, triesLeft - 1)
            if isListed { position = index }
            if let match = try await attempt(ids[index]) { return match }
            index += 1
            if isListed { position = index }
        }
        // What was listed earlier may lack an account by now.
        guard isListed, tries == ids.count else {
            throw PushError(
                .untrusted,
                "No key of \(tries) accounts verifies the context; there are \(ids.count).",
                underlying: PlusAuthUntriedAccounts(wait: wait))
        }
        throw PushError(.untrusted, "No account's key verifies the context.")
    }

    /// - Returns: How long until the next minute begins.
    private func refill(at now: Duration) -> Duration {
        let passed = beginning.map { now - $0 }
        guard let passed, passed < Self.minute, passed >= .zero else {
            beginning = now
            triesLeft = Self.maximumTries
            return Self.minute
        }
        return Self.minute - passed
    }

    /// Drops what is kept for the next search, as may happen at any moment: the limit of tries begins
    /// again, as after a restart.
    func dropCaches() {
        beginning = nil
        listed = []
        position = 0
    }

    private func enter() async {
        if isSearching {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            isSearching = true
        }
    }

    private func leave() {
        if waiting.isEmpty {
            isSearching = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}

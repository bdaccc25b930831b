#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Everything the ledger keeps of one challenge, in one record.
struct LedgerRow: Sendable {
    let id: Challenge.ID

    /// When this device first heard of it, by the device's clock.
    let seen: Date

    /// `nil` for a tombstone, and for a challenge that only a newer version understands.
    var announcement: Announcement?
    var decided: Decided?
    var outcome: Outcome?
    var withdrawal: Withdrawal?

    /// When it got its final state, by the device's clock.
    var finished: Date?

    /// A time by the server's clock at which it was known already: the device's, which may be set to
    /// anything, dates no tombstone.
    var dated: Date?

    init(id: Challenge.ID, seen: Date, announcement: Announcement? = nil) {
        self.id = id
        self.seen = seen
        self.announcement = announcement
    }

    /// Where the challenge stands. A withdrawal after a decision is remembered, but the vendor's
    /// word on the decision counts.
    var state: ChallengeRecord.State {
        if let decided, let outcome { return .answered(decided.resolution, outcome) }
        if let decided { return .decided(decided.resolution) }
        if let withdrawal { return .over(withdrawal) }
        return .open
    }

    /// Leaves of what announced the challenge the part that is safe to show.
    mutating func forgetContext() {
        announcement = announcement.map { Announcement($0.notice, context: Secret([])) }
    }

    /// A decision, what of its answer may be repeated, and how far its delivery is.
    struct Decided: Sendable {
        let resolution: Resolution
        let kept: Answer.Kept
        let bytes: Secret?

        /// Whether a copy may have reached the vendor. It's said before the first byte leaves, and
        /// taken back only if that is known not to have happened.
        var mayHaveArrived: Bool

        /// Who is sending it.
        var lease: Lease?

        /// How long the vendor wants to be left alone.
        var pause: Pause?

        /// The answer, if its bytes were kept.
        var answer: Answer? { bytes.map { Answer($0, kept: kept) } }

        /// Whether both are one decision; bytes that aren't kept don't count.
        func isSame(as other: Decided) -> Bool {
            guard resolution == other.resolution, let bytes, let others = other.bytes else {
                return resolution == other.resolution
            }
            return bytes.isEqualInConstantTime(to: others)
        }
    }

    /// One process's word that it is sending a decision.
    struct Lease: Hashable, Sendable {
        let owner: String
        let since: Date

        /// What is left of another process's lease; `nil` if it has ended.
        func remainder(for owner: String, at now: Date, length: Duration) -> Duration? {
            owner == self.owner ? nil : Pause(since: since, length: length).remainder(at: now)
        }
    }

    /// A stretch of time by the device's clock.
    struct Pause: Hashable, Sendable {
        let since: Date
        let length: Duration

        /// What is left of it; `nil` if it has ended.
        ///
        /// A clock that was set back ends it: too early costs a copy on the wire, while too late
        /// would cost the delivery.
        func remainder(at now: Date) -> Duration? {
            let passed = now.timeIntervalSince(since)
            guard passed >= 0, passed < length.inSeconds else { return nil }
            return length - .seconds(passed)
        }
    }
}

extension LedgerRow.Decided {
    /// A decision with as much of its answer as may be kept.
    init(_ resolution: Resolution, _ answer: Answer, lease: LedgerRow.Lease? = nil) {
        self.init(
            resolution: resolution, kept: answer.kept,
            bytes: answer.kept == .decision ? nil : answer.bytes, mayHaveArrived: true,
            lease: lease)
    }
}

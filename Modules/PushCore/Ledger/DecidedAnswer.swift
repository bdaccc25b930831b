#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LedgerRow {
    /// What a provider makes of two announcements of one challenge (``PushProvider/merged(_:_:)``).
    typealias Merge = (Announcement, Announcement) throws(PushError) -> Announcement?

    /// What came of asking for the right to send a decision.
    indirect enum Claim {
        /// It's the caller's; and whether a copy may have reached the vendor before.
        case taken(DecidedAnswer, hasArrived: Bool)
        /// Another process is sending it, and is left alone for this long.
        case leased(Resolution, Duration)
        /// There is nothing to send any more.
        case settled
    }

    /// A decision, what of its answer may be repeated, and how far its delivery is.
    struct DecidedAnswer: Sendable {
        let resolution: Resolution
        let kept: Answer.Kept.Form

        /// What was kept of the answer: its bytes, or a part of them; `nil` if nothing was.
        let secret: Secret?

        /// Whether a copy may have reached the vendor. It's said before the first byte leaves, and
        /// taken back only if that is known not to have happened.
        var mayHaveArrived: Bool

        /// Who is sending it.
        var lease: Lease?

        /// How long the vendor wants to be left alone.
        var pause: Pause?

        /// When the vendor's list lacked the challenge first, of those that did in a row.
        var lacked: Date?

        /// The answer's bytes, if they were kept.
        var bytes: Secret? { kept.isWhole ? secret : nil }

        /// What is left to know of it after its last word.
        var withoutAnswer: DecidedAnswer {
            DecidedAnswer(
                resolution: resolution, kept: kept, secret: nil, mayHaveArrived: mayHaveArrived)
        }

        /// What is left of the lease of another process than this one's holder; `nil` if none is.
        func rest(besides lease: Lease?, length: Duration, _ judged: LeaseJudgment) -> Duration? {
            guard let lease else { return nil }
            return self.lease?.remainder(
                for: lease.owner, at: lease.since, length: length, judged: judged)
        }

        /// Whether both are one decision; what wasn't kept whole doesn't count.
        func isSame(as other: DecidedAnswer) -> Bool {
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
        func remainder(
            for owner: String, at now: Date, length: Duration, judged: LeaseJudgment = .byClock
        ) -> Duration? {
            guard owner != self.owner else { return nil }
            switch judged {
            case .byClock: return Pause(since: since, length: length).remainder(at: now)
            case .bySight(let ended): return self == ended ? nil : length
            }
        }
    }

    /// How the lease of another process is judged.
    enum LeaseJudgment: Sendable {
        /// By the wall clock, which both have.
        case byClock
        /// By the observer's own clock, as the other process may run on another machine: this lease
        /// has been seen unchanged for its length; `nil` if none has.
        case bySight(ended: Lease?)
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

extension LedgerRow.DecidedAnswer {
    /// A decision with as much of its answer as may be kept.
    init(_ resolution: Resolution, _ answer: Answer, lease: LedgerRow.Lease? = nil) {
        self.init(
            resolution: resolution, kept: answer.kept.form, secret: answer.kept.secret(of: answer),
            mayHaveArrived: true, lease: lease)
    }
}

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Everything the ledger keeps of one challenge, in one record, and everything that may become of
/// it.
///
/// It is a state machine and nothing else: it knows no store and no clock, and waits for nothing.
/// Its ``EnrollmentDocument`` runs one function of it, and is written if it has changed.
///
/// RowEnumerationTests goes through every sequence of 14 events that two processes, their user and the
/// vendor can bring about: 360,007,326,264 sequences in all, which lead to 175,240 different worlds.
struct LedgerRow: Sendable {
    let id: Challenge.ID

    /// When this device first heard of it, by the device's clock.
    let seen: Date

    /// `nil` for a tombstone, and for a challenge that only a newer version understands.
    @Boxed private(set) var announcement: Announcement?
    @Boxed private(set) var decided: DecidedAnswer?
    private(set) var outcome: Outcome?
    @Boxed private(set) var withdrawal: Withdrawal?

    /// When it got its final state, by the device's clock.
    private(set) var finished: Date?

    /// Whether a list of its vendor's has had it.
    private(set) var wasListed = false

    /// Whether it is on record; `false` for one that nobody has heard of.
    private(set) var isOnRecord = true

    /// Whether it differs from what is on record.
    private(set) var hasChanged = false

    /// The same once it is written.
    var asRecorded: LedgerRow {
        var row = self
        row.isOnRecord = true
        row.hasChanged = false
        return row
    }

    // MARK: What is heard of it

    /// Remembers what announces the challenge; or, if it is known and waits for a word, what
    /// another announcement brings. A notice that the user has decided on stays as it was then. If
    /// `merge` throws, nothing has changed. Returns whether this device hears of it for the first time.
    mutating func announce(
        _ announcement: Announcement, merge: Merge = { _, _ in nil }
    ) throws(PushError) -> Bool {
        guard isKnown else {
            self.announcement = announcement
            hasChanged = true
            return true
        }
        guard let known = self.announcement, isWaiting else { return false }
        if announcement.renewsContext {
            note(announcement.context)
        } else if let merged = try merge(known, announcement) {
            guard merged.notice.id == id else {
                throw PushError(.invalidArgument, "The provider made another challenge of it.")
            }
            let notice = decided == nil ? merged.notice : known.notice
            let isSame = merged.context.isEqualInConstantTime(to: known.context)
            guard notice != known.notice || !isSame else { return false }
            self.announcement = Announcement(notice, context: merged.context)
            hasChanged = true
        }
        return false
    }

    /// Replaces what the provider keeps of the challenge, as long as it waits for a word; `nil`
    /// leaves it as it is.
    mutating func note(_ context: Secret?) {
        guard let context, let known = announcement, isWaiting,
            !context.isEqualInConstantTime(to: known.context)
        else { return }
        announcement = Announcement(known.notice, context: context)
        hasChanged = true
    }

    /// Remembers that a message about the challenge wasn't understood; `false` if it was known.
    mutating func mention() -> Bool {
        guard !isOnRecord, !hasChanged else { return false }
        hasChanged = true
        return true
    }

    /// Remembers that the challenge is over, whether it was announced or not; `false` if that is no news.
    mutating func withdraw(_ withdrawal: Withdrawal, at now: Date, isSingleUse: Bool) -> Bool {
        guard self.withdrawal == nil, outcome == nil else { return false }
        self.withdrawal = withdrawal
        hasChanged = true
        guard decided == nil else { return true }
        finished = now
        if isSingleUse { forgetContext() }
        return true
    }

    /// Remembers that its vendor's list has it: lists that lack it are counted anew.
    mutating func list() {
        guard isWaiting, !wasListed || decided?.lacked != nil else { return }
        wasListed = true
        decided?.lacked = nil
        hasChanged = true
    }

    /// Remembers that its vendor's list no longer has it. A list doesn't say whose answer ended a
    /// challenge, so what the user has decided stays; and so does what was pushed just now and that no
    /// list has had yet: a server may push first, and record what it has pushed after. Returns
    /// whether that is news.
    mutating func unlist(_ withdrawal: Withdrawal, at now: Date, isSingleUse: Bool) -> Bool {
        guard state == .open, wasListed || now.timeIntervalSince(seen) >= Self.listingTime.inSeconds
        else {
            return false
        }
        return withdraw(withdrawal, at: now, isSingleUse: isSingleUse)
    }

    /// Remembers that its vendor's list lacks what was decided, and is being sent; `true` if a list
    /// that came long enough before lacked it, too.
    mutating func lack(_ judged: DecidedAnswer, at now: Date) -> Bool {
        guard isBeingSent(judged) else { return false }
        if let lacked = decided?.lacked, lacked <= now {
            return now.timeIntervalSince(lacked) >= Self.lackingTime.inSeconds
        }
        decided?.lacked = now
        hasChanged = true
        return false
    }

    // MARK: What the user decides

    /// Records a decision on an open challenge, or the answer that was made again for one; and that
    /// it is being sent. Another process's lease lasts for `length`, by the judgment. Returns whether
    /// a copy may have reached the vendor before. Throws `decidedOtherwise` if another decision
    /// stands, or `over` if the challenge is over; nothing has changed then.
    mutating func decide(
        _ decided: DecidedAnswer, again: Bool, length: Duration, judged: LeaseJudgment = .byClock
    ) throws(PushError) -> Bool {
        guard isKnown else { throw PushError(.notFound, "There is no such challenge.") }
        switch state {
        case .open: break
        case .decided(decided.resolution)
        where again && self.decided?.bytes == nil
            && self.decided?.rest(besides: decided.lease, length: length, judged) == nil:
            break
        case .decided(let other), .answered(let other, _):
            throw PushError(.decidedOtherwise(other), "Another decision stands.")
        case .over: throw PushError(.over, "The challenge is over.")
        }
        let hasArrived = self.decided?.mayHaveArrived ?? false
        self.decided = decided
        hasChanged = true
        return hasArrived
    }

    // MARK: What becomes of the decision

    /// Claims the decision for sending, unless another process is sending it.
    mutating func claim(
        for lease: Lease, length: Duration, judged: LeaseJudgment = .byClock
    ) -> Claim {
        guard var decided, outcome == nil else { return .settled }
        if let rest = decided.rest(besides: lease, length: length, judged) {
            return .leased(decided.resolution, rest)
        }
        let hasArrived = decided.mayHaveArrived
        decided.lease = lease
        decided.mayHaveArrived = true
        self.decided = decided
        hasChanged = true
        return .taken(decided, hasArrived: hasArrived)
    }

    /// Begins a process's lease on its decision again; `nil` if the lease is another's.
    mutating func renew(_ judged: DecidedAnswer, lease: Lease) -> DecidedAnswer? {
        guard isBeingSent(judged) else { return nil }
        decided?.lease = lease
        hasChanged = true
        return decided
    }

    /// Ends a try that brought no final word, so that the next can begin. The row then says whether
    /// this try or one before may have reached the vendor, and how long that wants to be left
    /// alone.
    mutating func release(
        _ judged: DecidedAnswer, mayHaveArrived: Bool, pause: Pause?, context: Secret? = nil
    ) {
        guard isBeingSent(judged) else { return }
        note(context)
        decided?.lease = nil
        decided?.mayHaveArrived = mayHaveArrived
        decided?.pause = pause
        hasChanged = true
    }

    /// Records the vendor's final word on a decision, or opens the challenge again.
    ///
    /// A word on a decision that no longer stands changes nothing: meanwhile another process may
    /// have opened the challenge and recorded another one. What the vendor says replaces "unknown",
    /// which the other of two copies may have brought, but opens nothing then. Returns the word that
    /// stands for this decision: another process's, if it was first.
    mutating func settle(
        _ judged: DecidedAnswer, _ word: Outcome, context: Secret? = nil, at now: Date,
        isSingleUse: Bool
    ) -> Outcome {
        guard let decided, decided.isSame(as: judged) else { return word }
        if let outcome, !outcome.isUnknown || word.mayReopen || word.isUnknown { return outcome }
        guard !word.mayReopen else {
            // Another process took over meanwhile: its copy is on the way, and its word counts.
            guard decided.lease == judged.lease else {
                return .unknown("Another process is sending it.")
            }
            note(context)
            self.decided = nil
            finished = withdrawal.map { _ in now }
            if isSingleUse, withdrawal != nil { forgetContext() }
            hasChanged = true
            return word
        }
        note(context)
        outcome = decided.kept.isWhole ? word : word.withoutCode
        finished = now
        // After "unknown", too: nobody sends or asks again what has its last word.
        if isSingleUse { forgetContext() }
        self.decided = decided.withoutAnswer
        hasChanged = true
        return word
    }

    /// Leaves of what announced the challenge the part that is safe to show.
    private mutating func forgetContext() {
        announcement = announcement.map { Announcement($0.notice) }
    }
}

extension LedgerRow {
    /// A challenge that this device hears of for the first time.
    init(_ id: Challenge.ID, seen: Date) { self.init(id: id, seen: seen, isOnRecord: false) }
}

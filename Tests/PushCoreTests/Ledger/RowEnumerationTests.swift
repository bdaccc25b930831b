import Foundation
import Testing

@testable import PushCore

/// Every sequence of what can happen to one challenge, in two processes of one device.
struct RowEnumerationTests {
    /// What a walk through all sequences found.
    struct Walk {
        var sequences: UInt64 = 0
        var worlds = 0
        var violation: String?
        var states: Set<ChallengeRecord.State> = []

        /// Whether a state came, by a part of its name.
        func has(_ name: String) -> Bool { states.contains { "\($0)".contains(name) } }
    }

    /// Walks through every sequence of events up to a depth. Sequences that lead to the same
    /// harness are followed from there as one, and counted as many.
    private func walk(
        _ rules: RowRules, depth: Int, from start: RowModel = RowModel()
    ) -> Walk {
        var result = Walk()
        var front: [RowModel.Key: (harness: RowModel, sequences: UInt64, path: [RowEvent])] = [:]
        front[start.key] = (start, 1, [])
        for _ in 1...depth {
            var next: [RowModel.Key: (harness: RowModel, sequences: UInt64, path: [RowEvent])] = [:]
            for (key, (harness, sequences, path)) in front {
                for event in rules.events {
                    guard let after = rules.after(event, in: harness) else { continue }
                    let newKey = after.key
                    guard newKey != key else { continue }
                    result.sequences += sequences
                    if let known = next.index(forKey: newKey) {
                        next.values[known].sequences += sequences
                        continue
                    }
                    let violation =
                        after.violation ?? change(from: harness, to: after)
                        ?? change(from: harness, to: after, by: event)
                    if let violation {
                        result.violation = "\(violation) after \(path + [event])"
                        return result
                    }
                    if let state = after.row?.state { result.states.insert(state) }
                    next[newKey] = (after, sequences, path + [event])
                }
            }
            result.worlds += next.count
            front = next
        }
        return result
    }

    /// What no step may do, whatever the row is.
    private func change(from before: RowModel, to after: RowModel) -> String? {
        guard let old = before.row else { return nil }
        guard let new = after.row else { return "a row that is gone" }
        if let outcome = old.outcome, !outcome.isUnknown, new.outcome != outcome {
            return "a last word that was replaced"
        }
        if old.withdrawal != nil, new.withdrawal == nil { return "a withdrawal that was forgotten" }
        if old.announcement != nil, new.announcement == nil {
            return "an announcement that is lost"
        }
        if let decided = old.decided, let now = new.decided, now.resolution != decided.resolution {
            return "a decision that another one replaced"
        }
        return nil
    }

    /// What a later announcement and a list mustn't do.
    private func change(
        from before: RowModel, to after: RowModel, by event: RowEvent
    ) -> String? {
        guard let old = before.row, let new = after.row, RowEvent.later.contains(event) else {
            return nil
        }
        if old.isFinished, old.announcement?.notice != new.announcement?.notice {
            return "a notice that changed after the last word"
        }
        let hasOpened = old.withdrawal != nil && new.state == .open
        let hasEnded = old.decided != nil && old.withdrawal == nil && new.withdrawal != nil
        if hasOpened || hasEnded || old.state != new.state && event == .announceOtherwise {
            return "another state, by what decides none"
        }
        return nil
    }

    @Test(arguments: Answer.Kept.Form.allCases)
    func `later announcements, lists, and a vendor that never says why break no promise`(
        kept: Answer.Kept.Form
    ) {
        var rules = RowRules(kept: kept)
        rules.events += RowEvent.later
        rules.saysWhy = false
        let walk = walk(rules, depth: 10)
        #expect(walk.violation == nil)
        #expect(walk.sequences > 10_000_000, "\(walk.sequences) in \(walk.worlds) worlds")
        for state in ["open", "decided", "over", "delivered", "unknown"] {
            #expect(walk.has(state), "\(state) never came")
        }
        if kept != .whole { #expect(walk.has("ended")) }
    }

    @Test(arguments: Answer.Kept.Form.allCases)
    func `every sequence of events keeps what a row promises`(kept: Answer.Kept.Form) {
        let walk = walk(RowRules(kept: kept), depth: 14)
        #expect(walk.violation == nil)
        // How many there are is said in the documentation of LedgerRow.
        #expect(walk.sequences > 10_000_000_000, "\(walk.sequences) in \(walk.worlds) worlds")
        // None of what could happen is missing.
        for state in ["open", "decided", "over", "delivered", "cancelled", "unknown"] {
            #expect(walk.has(state), "\(state) never came")
        }
    }

    @Test(arguments: Answer.Kept.Form.allCases)
    func `through a document that is written and read, every sequence comes to the same`(
        kept: Answer.Kept.Form
    ) throws {
        var start = RowModel()
        start.document = try .ada()
        var rules = RowRules(kept: kept)
        rules.events += RowEvent.later
        let through = walk(rules, depth: 6, from: start)
        let direct = walk(rules, depth: 6)
        #expect(through.violation == nil)
        #expect(through.sequences == direct.sequences)
        #expect(through.worlds == direct.worlds)
        #expect(through.states == direct.states)
        for state in ["open", "decided", "over", "delivered", "cancelled"] {
            #expect(through.has(state), "\(state) never came")
        }
    }

    /// What is taken out of a row's functions, or out of the outbox's rule for them.
    enum Breakage: String, CaseIterable {
        case decidesAnyway, reopensBesideALease, reopensAfterACopy, replacesTheLastWord
        case forgetsTheCopy, forgetsTheDecision, settlesWhatWasNotSent, claimsAsNeverSent
        case changesWhatWasSeen, changesWhatIsOver, unlistsADecision
        case believesOneList, countsListsThatDiffer
    }

    @Test(arguments: Breakage.allCases)
    func `the walk finds what is broken`(breakage: Breakage) {
        #expect(walk(broken(breakage), depth: 9).violation != nil)
    }

    private func broken(_ breakage: Breakage) -> RowRules {
        var rules = RowRules()
        let whole = rules
        switch breakage {
        case .decidesAnyway:
            rules.decide = { row, decided, _ in
                row = row.with(decided: decided)
                return false
            }
        case .reopensBesideALease:
            rules.settle = { row, judged, word, now in
                if word.mayReopen, row.outcome == nil { row = row.with(decided: nil) }
                whole.settle(&row, judged, word, now)
            }
        case .reopensAfterACopy:
            rules.reopens = { word, _ in word.mayReopen }
        case .replacesTheLastWord:
            rules.settle = { row, _, word, now in
                row = LedgerRow(
                    id: row.id, seen: row.seen, announcement: row.announcement,
                    decided: row.decided, outcome: word, withdrawal: row.withdrawal, finished: now)
            }
        case .forgetsTheCopy:
            rules.release = { row, judged, _ in whole.release(&row, judged, false) }
        case .forgetsTheDecision:
            rules.withdraw = { row, now in
                row = row.with(decided: nil)
                whole.withdraw(&row, now)
            }
        case .settlesWhatWasNotSent:
            rules.release = { row, judged, arrived in
                guard arrived else { return whole.release(&row, judged, arrived) }
                whole.settle(&row, judged, .delivered, row.seen)
            }
        case .changesWhatWasSeen:
            rules.events += RowEvent.later
            rules.announceOtherwise = { row in row = row.with(RowModel.otherwise) }
        case .changesWhatIsOver:
            rules.events += RowEvent.later
            rules.announceOtherwise = { row in
                if row.decided == nil { row = row.with(RowModel.otherwise) }
            }
        case .unlistsADecision:
            rules.events += RowEvent.later
            rules.unlist = { row, now in
                _ = row.withdraw(
                    Withdrawal(row.id, .unknown), at: now, isSingleUse: false)
            }
        case .believesOneList:
            (rules.saysWhy, rules.kept) = (false, .wholeOnceOpen)
            rules.events += RowEvent.later
            rules.lack = { _, _, _ in true }
        case .countsListsThatDiffer:
            (rules.saysWhy, rules.kept) = (false, .wholeOnceOpen)
            rules.events += RowEvent.later
            rules.list = { _ in }
        case .claimsAsNeverSent:
            rules.claim = { row, lease in
                guard case .taken(let decided, _) = whole.claim(&row, lease) else {
                    return .settled
                }
                return .taken(decided, hasArrived: false)
            }
        }
        return rules
    }
}

extension LedgerRow {
    /// The same with another decision, and no last word.
    fileprivate func with(decided: DecidedAnswer?) -> LedgerRow {
        LedgerRow(
            id: id, seen: seen, announcement: announcement, decided: decided,
            withdrawal: withdrawal, finished: finished)
    }

    /// The same with another announcement.
    fileprivate func with(_ announcement: Announcement) -> LedgerRow {
        LedgerRow(
            id: id, seen: seen, announcement: announcement, decided: decided,
            outcome: outcome, withdrawal: withdrawal, finished: finished)
    }
}

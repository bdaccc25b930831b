import Foundation
import PushTesting

@testable import PushCore

/// Something that happens to a challenge, as the core lets it happen.
enum RowEvent: Hashable {
    /// A message announces it, wasn't understood, or withdraws what the vendor has cancelled.
    case announce, mention, withdraw
    /// It is announced once more, with another text; the vendor's list no longer has it.
    case announceOtherwise, unlist
    /// The vendor's list has it; one that lags lacks it, of which there are never two in a row.
    case list, lag(Int)
    /// The vendor cancels it.
    case cancel
    /// Leases end.
    case wait
    /// The user decides at a process, or makes the same answer again.
    case decide(Int, Resolution), again(Int, Resolution)
    /// A process takes up what is on record; the vendor can say what became of it, or can't.
    case claim(Int, knowsStatus: Bool)
    /// What becomes of a process's exchange.
    case exchange(Int, Fate)
    /// A copy that nobody waits for any more arrives, or gets lost.
    case stray(Resolution, Fate)

    enum Fate: Hashable, CaseIterable {
        /// The vendor takes the answer, or refuses it and lets the user try again; the word comes,
        /// or is lost.
        case taken, takenUnheard, refused, refusedUnheard
        /// It never left; it is late; its process is killed.
        case neverLeft, late, killed
    }

    static let later: [RowEvent] = [.announceOtherwise, .unlist, .list, .lag(0), .lag(1)]

    static let all: [RowEvent] =
        [.announce, .mention, .withdraw, .cancel, .wait]
        + [0, 1].flatMap { process in
            [.claim(process, knowsStatus: true), .claim(process, knowsStatus: false)]
                + Fate.allCases.map { .exchange(process, $0) }
                + decisions.flatMap { [.decide(process, $0), .again(process, $0)] }
        }
        + decisions.flatMap { decision in
            [Fate.taken, .refused, .neverLeft].map { .stray(decision, $0) }
        }

    static let decisions: [Resolution] = [.approve, .deny(.unexpected)]
}

/// The functions of a row, so that broken ones can take their place.
struct RowRules {
    var kept = Answer.Kept.Form.whole
    var events = RowEvent.all
    /// Whether the vendor says why a challenge is over.
    var saysWhy = true

    var decide = { (row: inout LedgerRow, decided: LedgerRow.DecidedAnswer, again: Bool) -> Bool? in
        try? row.decide(decided, again: again, length: RowModel.lease)
    }
    var withdraw = { (row: inout LedgerRow, now: Date) -> Void in
        _ = row.withdraw(Withdrawal(row.id, .cancelled), at: now, isSingleUse: false)
    }
    var announceOtherwise = { (row: inout LedgerRow) -> Void in
        _ = try? row.announce(RowModel.otherwise) { $1 }
    }
    var unlist = { (row: inout LedgerRow, now: Date) -> Void in
        _ = row.unlist(Withdrawal(row.id, .unknown), at: now, isSingleUse: false)
    }
    var list = { (row: inout LedgerRow) -> Void in row.list() }
    /// The list lacks what is being sent: whether that ends it.
    var lack = { (row: inout LedgerRow, judged: LedgerRow.DecidedAnswer, now: Date) -> Bool in
        row.lack(judged, at: now)
    }
    var claim = { (row: inout LedgerRow, lease: LedgerRow.Lease) -> LedgerRow.Claim in
        row.claim(for: lease, length: RowModel.lease)
    }
    var release = {
        (row: inout LedgerRow, judged: LedgerRow.DecidedAnswer, arrived: Bool) -> Void in
        row.release(judged, mayHaveArrived: arrived, pause: nil)
    }
    var settle = {
        (row: inout LedgerRow, judged: LedgerRow.DecidedAnswer, word: Outcome, now: Date) -> Void in
        _ = row.settle(judged, word, at: now, isSingleUse: false)
    }
    /// Whether a refusal opens the challenge again: the outbox's rule, not the row's.
    var reopens = { (word: Outcome, hasArrived: Bool) -> Bool in word.reopens(after: hasArrived) }

    /// What a harness becomes; `nil` if the event can't happen, or changes nothing.
    func after(_ event: RowEvent, in harness: RowModel) -> RowModel? {
        var next = harness
        switch event {
        case .announce:
            let notice = Notice(id: RowModel.id, proof: .mac)
            next.change { try? $0.announce(Announcement(notice)) }
        case .announceOtherwise:
            next.change { announceOtherwise(&$0) }
        case .unlist:
            guard harness.vendor != .open, harness.row?.announcement != nil else { return nil }
            next.change { unlist(&$0, harness.now) }
        case .list:
            guard harness.vendor == .open, harness.row?.announcement != nil else { return nil }
            next.heard(list)
        case .lag(let process):
            guard harness.vendor == .open, !harness.lags else { return nil }
            return claim(at: process, knowsStatus: true, lags: true, in: harness)
        case .mention:
            next.change { $0.mention() }
        case .cancel:
            guard harness.vendor == .open else { return nil }
            next.vendor = .cancelled
        case .withdraw:
            guard harness.vendor == .cancelled else { return nil }
            next.change { withdraw(&$0, harness.now) }
        case .wait:
            guard let decided = harness.row?.decided, harness.row?.outcome == nil,
                decided.lease != nil || decided.lacked != nil
            else { return nil }
            next.now += 11
        case .decide(let process, let resolution):
            return decide(resolution, at: process, again: false, in: harness)
        case .again(let process, let resolution):
            return decide(resolution, at: process, again: true, in: harness)
        case .claim(let process, let knowsStatus):
            return claim(at: process, knowsStatus: knowsStatus, in: harness)
        case .exchange(let process, let fate):
            return exchange(fate, at: process, in: harness)
        case .stray(let resolution, let fate):
            guard harness.stray[resolution, default: 0] > 0 else { return nil }
            next.stray[resolution]? -= 1
            _ = next.vendorHears(resolution, fate)
        }
        return next
    }

    private func decide(
        _ resolution: Resolution, at process: Int, again: Bool, in harness: RowModel
    ) -> RowModel? {
        guard harness.processes[process] == .idle, let row = harness.row,
            again == (row.decided != nil && row.outcome == nil)
        else { return nil }
        let decided = LedgerRow.DecidedAnswer(
            resolution,
            Answer(
                Secret("\(resolution)".utf8), kept: Answer.Kept(kept, part: Secret("part".utf8))),
            lease: harness.lease(process))
        var next = harness
        guard let hasArrived = next.change({ decide(&$0, decided, again) }) ?? nil else {
            return nil
        }
        next.seen = next.row?.announcement?.notice
        next.send(decided, at: process, hasArrived: hasArrived)
        return next
    }

    private func claim(
        at process: Int, knowsStatus: Bool, lags: Bool = false, in harness: RowModel
    ) -> RowModel? {
        var next = harness
        guard harness.processes[process] == .idle, harness.row != nil,
            case .taken(let decided, let hasArrived)? = next.change({
                claim(&$0, harness.lease(process))
            })
        else { return nil }
        if hasArrived, kept != .whole, knowsStatus, !saysWhy, harness.vendor != .open || lags {
            next.lags = lags
            next.change { row in
                if lack(&row, decided, harness.now) {
                    settle(&row, decided, .ended, harness.now)
                } else {
                    release(&row, decided, true)
                }
            }
        } else if lags {
            return nil
        } else if hasArrived, kept != .whole, knowsStatus, let word = harness.status(of: decided) {
            next.change { settle(&$0, decided, saysWhy ? word : .ended, harness.now) }
        } else if decided.bytes == nil || hasArrived && kept == .wholeOnceOpen && !knowsStatus {
            // Without its bytes the user must make it again; a status that can't be had stops it.
            next.change { release(&$0, decided, hasArrived) }
        } else {
            if decided.lacked != nil { next.heard(list) }
            next.send(next.row?.decided ?? decided, at: process, hasArrived: hasArrived)
        }
        return next
    }

    private func exchange(
        _ fate: RowEvent.Fate, at process: Int, in harness: RowModel
    ) -> RowModel? {
        guard case .sending(let resolution, _, _, let hasArrived, _) = harness.processes[process],
            let judged = harness.judged[process]
        else { return nil }
        var next = harness
        next.processes[process] = .idle
        next.judged[process] = nil
        switch fate {
        case .killed:
            next.stray[resolution, default: 0] += 1
        case .late:
            next.stray[resolution, default: 0] += 1
            next.change { release(&$0, judged, true) }
        case .neverLeft:
            next.change { release(&$0, judged, hasArrived) }
        case .taken, .takenUnheard, .refused, .refusedUnheard:
            let word = next.vendorHears(resolution, fate, again: hasArrived)
            let isHeard = fate == .taken || fate == .refused
            guard isHeard, !word.mayReopen || reopens(word, hasArrived) else {
                next.change { release(&$0, judged, true) }
                break
            }
            next.change { settle(&$0, judged, word, harness.now) }
        }
        return next
    }
}

extension RowModel {
    func lease(_ process: Int) -> LedgerRow.Lease {
        LedgerRow.Lease(owner: "\(process)", since: now)
    }

    /// Runs a function of the row: on itself, or through the document in which it stands.
    @discardableResult
    mutating func change<Value>(_ body: (inout LedgerRow) -> Value) -> Value? {
        guard document == nil else { return changeInDocument(body) }
        var row = row ?? LedgerRow(Self.id, seen: now)
        let isNew = self.row == nil
        let value = body(&row)
        if row.hasChanged || !isNew { self.row = row.asRecorded }
        return value
    }

    /// The vendor's list has it.
    mutating func heard(_ list: (inout LedgerRow) -> Void) {
        lags = false
        change { list(&$0) }
    }

    mutating func send(_ decided: LedgerRow.DecidedAnswer, at process: Int, hasArrived: Bool) {
        judged[process] = decided
        processes[process] = .sending(
            decided.resolution, owner: process, since: now, hasArrived: hasArrived, isOnWire: true)
    }

    /// What the vendor says became of a decision; `nil` if the challenge is open.
    func status(of decided: LedgerRow.DecidedAnswer) -> Outcome? {
        switch vendor {
        case .open: nil
        case .took(decided.resolution): .delivered
        case .took: .answeredElsewhere
        case .cancelled: .cancelled
        }
    }

    /// What the vendor makes of a copy, and says.
    mutating func vendorHears(
        _ resolution: Resolution, _ fate: RowEvent.Fate, again: Bool = true
    ) -> Outcome {
        switch (vendor, fate) {
        case (_, .neverLeft):
            return .unknown("")
        case (.open, .refused), (.open, .refusedUnheard):
            return .notTaken(.init(.wrongChoice, mayRetry: true))
        case (.open, _):
            vendor = .took(resolution)
            return .delivered
        case (.took, _):
            return again ? .unknown("") : .answeredElsewhere
        case (.cancelled, _):
            return .cancelled
        }
    }
}

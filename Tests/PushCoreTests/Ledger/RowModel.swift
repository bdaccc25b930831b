import Foundation

@testable import PushCore

/// One challenge, the two processes of a device, the copies of answers that are on their way, and the
/// vendor: everything that a row's functions decide about, as a value that is cheap to copy.
struct RowModel {
    /// What a process is doing.
    enum Process: Hashable {
        case idle
        /// Its copy is on its way, and its decision waits for the vendor's word.
        case sending(Resolution, owner: Int, since: Date, hasArrived: Bool, isOnWire: Bool)
    }

    /// What the vendor holds.
    enum Vendor: Hashable {
        case open
        case took(Resolution)
        case cancelled
    }

    static let id = Challenge.ID("1", of: Enrollment.ID("ada", of: "acme"))
    static let lease = Duration.seconds(10)

    /// What announces it another time.
    static let otherwise = Announcement(
        Notice(id: id, title: "otherwise", proof: .mac), context: Secret([1]))

    var row: LedgerRow?
    /// Where the row stands, if it does: as it was read after its last change was written.
    var document: EnrollmentDocument?
    /// What a document did that no row does.
    var flaw: String?
    var processes: [Process] = [.idle, .idle]
    var judged: [LedgerRow.DecidedAnswer?] = [nil, nil]
    /// Copies that nobody waits for any more, and that may arrive yet.
    var stray: [Resolution: Int] = [:]
    var vendor = Vendor.open
    var now = Date(timeIntervalSince1970: 0)
    /// What the user saw who decided.
    var seen: Notice?
    /// Whether the last list was one that lags.
    var lags = false

    /// What of it tells it from another harness; times only as far as a lease has ended or not.
    var key: Key {
        Key(
            isAnnounced: row?.announcement != nil, title: row?.announcement?.notice.title,
            isRenewed: row?.announcement?.context.count == 1, seen: seen?.title,
            withdrawal: row?.withdrawal != nil,
            outcome: row?.outcome, isFinished: row?.finished != nil,
            resolution: row?.decided?.resolution, hasBytes: row?.decided?.bytes != nil,
            mayHaveArrived: row?.decided?.mayHaveArrived, owner: row?.decided?.lease?.owner,
            age: row?.decided?.lease.map { now.timeIntervalSince($0.since) },
            lacked: row?.decided?.lacked.map { now.timeIntervalSince($0) },
            wasListed: row?.wasListed, lags: lags,
            processes: processes.map {
                guard
                    case .sending(let resolution, let owner, let since, let arrived, let wire) = $0
                else { return $0 }
                return .sending(
                    resolution, owner: owner,
                    since: Date(timeIntervalSince1970: now.timeIntervalSince(since)),
                    hasArrived: arrived, isOnWire: wire)
            }, stray: stray, vendor: vendor, isOnRecord: row != nil, flaw: flaw)
    }

    struct Key: Hashable {
        let isAnnounced: Bool
        let title: String?
        let isRenewed: Bool
        let seen: String?
        let withdrawal: Bool
        let outcome: Outcome?
        let isFinished: Bool
        let resolution: Resolution?
        let hasBytes: Bool
        let mayHaveArrived: Bool?
        let owner: String?
        let age: Double?
        let lacked: Double?
        let wasListed: Bool?
        let lags: Bool
        let processes: [Process]
        let stray: [Resolution: Int]
        let vendor: Vendor
        let isOnRecord: Bool
        let flaw: String?
    }

    /// The decisions of which a copy may yet reach the vendor.
    var onTheWay: Set<Resolution> {
        var all = Set(stray.filter { $0.value > 0 }.keys)
        for case .sending(let resolution, _, _, _, isOnWire: true) in processes {
            all.insert(resolution)
        }
        return all
    }

    /// Whether the vendor may have or get a copy of a decision.
    func mayHold(_ resolution: Resolution) -> Bool {
        onTheWay.contains(resolution) || vendor == .took(resolution)
    }

    /// What is broken of what a row promises; `nil` if nothing is.
    var violation: String? {
        if let flaw { return flaw }
        guard let row else { return nil }
        var possible = onTheWay
        if case .took(let resolution) = vendor { possible.insert(resolution) }
        if vendor != .cancelled, possible.count > 1 {
            return "two decisions that the vendor could both accept"
        }
        if case .open = row.state, !onTheWay.isEmpty, vendor == .open {
            return "open for another decision while a copy is on its way"
        }
        if let decided = row.decided, row.outcome == nil, !decided.mayHaveArrived,
            mayHold(decided.resolution)
        {
            return "a copy is out of which the row says that it never left"
        }
        if case .answered(let resolution, .delivered) = row.state, vendor != .took(resolution) {
            return "delivered, and the vendor never took it"
        }
        if row.decided != nil, row.announcement?.notice != seen {
            return "decided on another notice than the user saw"
        }
        if case .answered(_, .ended) = row.state, vendor == .open {
            return "ended by one list that lagged"
        }
        if row.outcome != nil, row.finished == nil { return "a last word without its time" }
        return nil
    }
}

extension RowModel {
    /// Runs a function of the row through its document, writes that, and reads it again.
    mutating func changeInDocument<Value>(_ body: (inout LedgerRow) -> Value) -> Value? {
        do {
            guard var document else { return nil }
            let rules = DocumentRules(
                now: now, passed: nil, limits: Retention(), isSingleUse: false)
            let change = try document.change(Self.id, by: rules, body)
            guard let change else {
                flaw = "a row of which a trace is left"
                return nil
            }
            guard document.hasChanged else { return change.value }
            var again = try EnrollmentDocument(reading: document.sealed)
            guard case .row(let row) = try again.known(Self.id) else {
                flaw = "a row that isn't in its document"
                return nil
            }
            if again.waits != (row.isKnown && !row.isFinished) { flaw = "a flag that isn't true" }
            if !document.closed.isEmpty { flaw = "a row that another one closed" }
            self.row = row
            self.document = again
            return change.value
        } catch {
            flaw = "\(error)"
            return nil
        }
    }
}

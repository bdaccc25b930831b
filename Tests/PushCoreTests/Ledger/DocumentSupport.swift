import Foundation
import Testing

@testable import PushCore

/// What happens to challenges, as it is done to a document.
extension EnrollmentDocument {
    static let moment = Date(timeIntervalSince1970: 1_760_000_000)

    /// A document of Ada's that is on record, without challenges.
    static func ada(
        salt: UInt8 = 1, passed: Date? = nil, credential: Secret = secret("credential")
    ) throws -> EnrollmentDocument {
        let enrollment = Enrollment(
            id: .ada, issuer: "Acme", account: "ada", state: .active, created: moment)
        var document = try EnrollmentDocument(
            salt: Secret(Array(repeating: salt, count: 16)), EnrollmentHead(enrollment),
            credential)
        document.passed = passed.flatMap { CompactDate($0) }
        return document.asRecorded
    }

    /// The same, written and read.
    var again: EnrollmentDocument {
        get throws { try EnrollmentDocument(reading: sealed) }
    }

    /// The same on record with other rows, and nothing of what is over.
    func with(_ slots: [RowSlot]) throws -> EnrollmentDocument {
        try EnrollmentDocument(
            recorded: names, generation: generation, passed: passed, head: sealedHead,
            credential: credential, guarded: guarded?.part, rows: DocumentRows(slots: slots),
            traces: Traces(), bursts: Bursts(), told: [])
    }

    var bytes: [UInt8] { sealed.withBytes { Array($0) } }

    /// What was closed since it was read because its time was over.
    var expired: [LedgerRow] { closed.filter { $0.withdrawal?.reason == .expired } }

    /// What was closed since it was read though it might still have been answered.
    var displaced: [LedgerRow] { closed.filter { $0.withdrawal?.reason != .expired } }

    mutating func replace(_ new: Secret) throws(PushError) {
        try changeCredential { (credential: inout Secret, _) in credential = new }
    }

    @discardableResult
    mutating func change<Value>(
        _ name: String, at now: Date = moment, _ limits: Retention = Retention(),
        _ body: (inout LedgerRow) throws(PushError) -> Value
    ) throws(PushError) -> Change<Value>? {
        let rules = DocumentRules(now: now, passed: nil, limits: limits, isSingleUse: true)
        return try change(.ada(name), by: rules, body)
    }

    @discardableResult
    mutating func announce(
        _ name: String, issued: Date? = nil, expiry: Date? = moment + 60, at now: Date = moment,
        _ limits: Retention = Retention()
    ) throws(PushError) -> Change<Bool>? {
        let notice = Notice(
            id: .ada(name), title: name, issued: issued, expiry: expiry, proof: .mac)
        return try change(name, at: now, limits) { (row) throws(PushError) in
            try row.announce(Announcement(notice, context: secret("context")))
        }
    }

    static func decision(_ resolution: Resolution) -> LedgerRow.DecidedAnswer {
        LedgerRow.DecidedAnswer(resolution, Answer(secret("answer"), kept: .whole))
    }

    @discardableResult
    mutating func decide(
        _ name: String, _ resolution: Resolution = .approve
    ) throws(PushError) -> Change<Bool>? {
        try change(name) { (row) throws(PushError) in
            try row.decide(Self.decision(resolution), again: false, length: .zero)
        }
    }

    /// The vendor's last word on a decision.
    @discardableResult
    mutating func settle(
        _ name: String, _ resolution: Resolution = .approve,
        _ limits: Retention = Retention()
    ) throws(PushError) -> Change<Outcome>? {
        try change(name, limits) { row in
            row.settle(Self.decision(resolution), .delivered, at: Self.moment, isSingleUse: true)
        }
    }

    @discardableResult
    mutating func withdraw(
        _ name: String, expiry: Date? = nil, at now: Date = moment,
        _ limits: Retention = Retention()
    ) throws(PushError) -> Change<Bool>? {
        let withdrawal = Withdrawal(.ada(name), .cancelled, expiry: expiry)
        return try change(name, at: now, limits) { row in
            row.withdraw(withdrawal, at: now, isSingleUse: true)
        }
    }

    /// The row of a challenge; `nil` if there is none.
    func row(_ name: String) throws -> LedgerRow? {
        var document = self
        guard case .row(let row) = try document.known(.ada(name)) else { return nil }
        return row
    }

    /// The trace of a challenge; `nil` if there is none.
    func trace(_ name: String) throws -> Trace? {
        var document = self
        guard case .trace(let trace) = try document.known(.ada(name)) else { return nil }
        return trace
    }

    /// The names of the rows, in their order.
    func rowNames() throws -> [String] {
        try rows.slots.map { slot in
            var slot = slot
            return try slot.row().id.name
        }
    }

    /// Whether the flags say what the rows do.
    func hasTrueFlags() throws -> Bool {
        try rows.slots.allSatisfy { slot in
            var read = slot
            let row = try read.row()
            return read.flags == slot.flags && (slot.flags == .ended) == row.isFinished
                && slot.waits == (row.isWaiting && row.isKnown)
        }
    }
}

import PushTesting

@testable import PushCore

/// Ada's challenges in her document over a store, each changed as the authenticator does it.
struct Ledger {
    private let documents: Documents
    private let clock: any PushClock

    init(store: any CredentialStore, clock: any PushClock) {
        documents = Documents(store, SystemRandom())
        self.clock = clock
    }

    private func hand() async throws(PushError) -> DocumentInHand {
        if let known = try await documents.read(.ada) { return known }
        let enrollment = Enrollment(id: .ada, state: .active, created: clock.now)
        return try await documents.create(EnrollmentHead(enrollment), secret("key"))
    }

    private func change<Value>(
        _ id: Challenge.ID, isSingleUse: Bool = false,
        _ body: (inout LedgerRow) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let rules = DocumentRules(
            now: clock.now, passed: nil, limits: Retention(), isSingleUse: isSingleUse)
        let change = try await hand().change { (document) throws(PushError) in
            try document.change(id, by: rules, body)
        }
        guard let change else { throw PushError(.over, "Only a trace is left.") }
        return change.value
    }

    func row(_ id: Challenge.ID) async throws(PushError) -> LedgerRow? {
        guard case .row(let row) = try await hand().known(id) else { return nil }
        return row
    }

    @discardableResult
    func open(_ announcement: Announcement) async throws(PushError) -> Bool {
        try await change(announcement.notice.id) { (row) throws(PushError) in
            try row.announce(announcement)
        }
    }

    @discardableResult
    func close(_ withdrawal: Withdrawal, isSingleUse: Bool) async throws(PushError) -> Bool {
        let now = clock.now
        return try await change(withdrawal.id, isSingleUse: isSingleUse) { row in
            row.withdraw(withdrawal, at: now, isSingleUse: isSingleUse)
        }
    }

    @discardableResult
    func decide(
        _ id: Challenge.ID, _ decided: LedgerRow.DecidedAnswer, again: Bool, length: Duration
    ) async throws(PushError) -> (hasArrived: Bool, row: LedgerRow?) {
        let hasArrived = try await change(id) { (row) throws(PushError) in
            try row.decide(decided, again: again, length: length)
        }
        return (hasArrived, try await row(id))
    }

    func claim(
        _ id: Challenge.ID, for lease: LedgerRow.Lease, length: Duration
    ) async throws(PushError) -> (claim: LedgerRow.Claim, row: LedgerRow?) {
        let claim = try await change(id) { row in row.claim(for: lease, length: length) }
        return (claim, try await row(id))
    }

    @discardableResult
    func settle(
        _ id: Challenge.ID, _ judged: LedgerRow.DecidedAnswer, _ word: Outcome, isSingleUse: Bool
    ) async throws(PushError) -> Outcome {
        let now = clock.now
        return try await change(id, isSingleUse: isSingleUse) { row in
            row.settle(judged, word, at: now, isSingleUse: isSingleUse)
        }
    }
}

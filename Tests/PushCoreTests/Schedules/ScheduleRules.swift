import PushCore

@testable import FictionalVendor
@testable import PushCore

/// What must hold in every schedule, judged by what is on record and by the vendor's log.
struct ScheduleRules: Sendable {
    enum Rule: Hashable, Sendable {
        /// The vendor takes one decision on each challenge. Another one reaches it only after it
        /// has refused the first.
        case oneDecision
        /// No value of the counter goes out with two answers, and none comes back on record.
        case oneAnswerForACounter
        /// When an answer leaves, its decision and its counter are on record.
        case onRecordFirst
        /// A decision that is on record, or that its caller was told of, stays on record until the
        /// vendor has it, and then with the vendor's word.
        case noneForgotten
    }

    struct Violation: Sendable {
        let rule: Rule
        let text: String
    }

    private struct Decided: Hashable {
        let challenge: String
        let choice: String

        init(_ challenge: String, _ resolution: Resolution) {
            self.challenge = challenge
            choice = AcmeWire.choice(resolution)
        }

        init(_ answer: SentAnswer) {
            challenge = answer.challenge
            choice = answer.choice
        }
    }

    private(set) var violations: [Violation] = []

    // What is on record.
    private var rows: [String: LedgerRow] = [:]
    private var counter: Int64 = 0

    // What has happened.
    private var decisions: Set<Decided> = []
    private var leasers: Set<String> = []
    private var textOfCounter: [Int64: String] = [:]
    private var arrivals: [(answer: SentAnswer, verdict: AcmeServer.Verdict)] = []

    private mutating func violate(_ rule: Rule, _ text: String) {
        violations.append(Violation(rule: rule, text: text))
    }

    /// Whether the vendor has refused a decision, and hasn't taken it.
    private func isRefused(_ decided: Decided) -> Bool {
        let verdicts = arrivals.filter {
            $0.answer.challenge == decided.challenge && $0.answer.choice == decided.choice
        }.map(\.verdict)
        return verdicts.contains { $0 == .wrongStillOpen || $0 == .wrongForGood }
            && !verdicts.contains(.taken)
    }

    // MARK: The record

    /// The decisions on record that wait for the vendor's word.
    var waiting: [(challenge: String, resolution: Resolution)] {
        rows.values.filter { $0.outcome == nil }.compactMap { row in
            row.decided.map { (row.id.name, $0.resolution) }
        }.sorted { $0.challenge < $1.challenge }
    }

    /// Whether a process has the lease on a decision.
    func isLeased(by process: String) -> Bool {
        rows.values.contains { $0.outcome == nil && $0.decided?.lease?.owner == process }
    }

    /// Whether a process has had the lease on some decision.
    func hasLeased(_ process: String) -> Bool { leasers.contains(process) }

    /// Looks at what was written.
    mutating func note(written record: Secret?) {
        guard let record, var document = try? EnrollmentDocument(reading: record),
            let credential = try? Secret.Record(reading: document.credential)
        else { return violate(.noneForgotten, "The enrollment's record is gone.") }
        let (found, unreadable) = document.readRows()
        if unreadable > 0 { violate(.noneForgotten, "A row can't be read.") }
        let before = (rows: rows, counter: counter)
        rows = Dictionary(found.map { ($0.id.name, $0) }) { $1 }
        counter = credential.fields["counter"]?.integer ?? 0
        if counter < before.counter {
            violate(.oneAnswerForACounter, "The counter went from \(before.counter) to \(counter).")
        }
        for (name, row) in before.rows {
            if let word = row.outcome, rows[name]?.outcome != word {
                violate(.noneForgotten, "The word \(word) on \(name) went off the record.")
            }
            guard let decided = row.decided.map({ Decided(name, $0.resolution) }),
                rows[name]?.decided.map({ Decided(name, $0.resolution) }) != decided,
                !isRefused(decided)
            else { continue }
            violate(.noneForgotten, "\(decided.choice) on \(name) went off the record.")
        }
        for row in found {
            if let owner = row.decided?.lease?.owner { leasers.insert(owner) }
            if let decided = row.decided {
                decisions.insert(Decided(row.id.name, decided.resolution))
            }
        }
    }

    /// Hears what a caller is told of its decision.
    mutating func note(told outcome: Outcome, of challenge: String, _ resolution: Resolution) {
        if case .notTaken = outcome { return }
        decisions.insert(Decided(challenge, resolution))
    }

    // MARK: The vendor

    /// Looks at an answer whose first byte leaves now.
    mutating func note(leaving answer: SentAnswer) {
        let first = textOfCounter.updateValue(answer.text, forKey: answer.counter)
        if let first, first != answer.text {
            violate(.oneAnswerForACounter, "\(first) went out, then \(answer.text).")
        }
        guard let decided = rows[answer.challenge]?.decided else {
            return violate(.onRecordFirst, "\(answer.text) leaves, and nothing is decided.")
        }
        if AcmeWire.choice(decided.resolution) != answer.choice {
            violate(.onRecordFirst, "\(answer.text) leaves beside \(decided.resolution).")
        }
        if let bytes = decided.bytes.flatMap({ try? JSON(parsing: $0.copiedText()) }),
            bytes["answer"]?.string != answer.text
        {
            violate(.onRecordFirst, "\(answer.text) leaves, and other bytes are on record.")
        }
        if counter < answer.counter {
            violate(.onRecordFirst, "\(answer.text) leaves, and the counter is \(counter).")
        }
    }

    /// Looks at an answer that has reached the vendor.
    mutating func note(arrived answer: SentAnswer, _ verdict: AcmeServer.Verdict) {
        for earlier in arrivals.map(\.answer)
        where earlier.challenge == answer.challenge && earlier.choice != answer.choice {
            guard !isRefused(Decided(earlier)) else { continue }
            violate(.oneDecision, "\(answer.text) came after \(earlier.text).")
        }
        arrivals.append((answer, verdict))
        let taken = arrivals.filter {
            $0.answer.challenge == answer.challenge && $0.verdict == .taken
        }
        if verdict == .taken, taken.count > 1 {
            violate(.oneDecision, "\(answer.challenge) was taken \(taken.count) times.")
        }
    }

    // MARK: The end

    /// Looks at what is left when all is over, and nothing went wrong for long enough.
    mutating func judgeEnd(taken: [String: String]) {
        for (challenge, resolution) in waiting {
            violate(.noneForgotten, "\(resolution) on \(challenge) has no word at the end.")
        }
        for decided in decisions where !isRefused(decided) {
            let name = "\(decided.choice) on \(decided.challenge)"
            guard let row = rows[decided.challenge], let recorded = row.decided,
                Decided(decided.challenge, recorded.resolution) == decided
            else {
                violate(.noneForgotten, "\(name) isn't on record at the end.")
                continue
            }
            if let outcome = row.outcome, outcome != .delivered {
                violate(.noneForgotten, "\(name) has the word \(outcome) at the end.")
            } else if taken[decided.challenge] != decided.choice {
                violate(.noneForgotten, "\(name) never reached the vendor.")
            }
        }
    }
}

import PushCore

/// Compares what the server's log says with what the SDK said, and with what its store holds.
struct SoakChecks {
    let exchanges: [ServerExchange]
    let parts: PartChecks
    private let answers: [String: [Answer]]

    private struct Answer {
        let choice: Choice
        let exchange: ServerExchange
    }

    init(_ exchanges: [ServerExchange]) {
        self.exchanges = exchanges
        parts = PartChecks(exchanges)
        var answers: [String: [Answer]] = [:]
        for exchange in exchanges {
            guard let (login, choice) = exchange.request.decision else { continue }
            answers[login, default: []].append(Answer(choice: choice, exchange: exchange))
        }
        self.answers = answers
    }

    /// The last line of the log.
    var end: Int { exchanges.map { max($0.arrived, $0.replied ?? 0) }.max() ?? 0 }

    /// How many answers came for a login.
    func count(for login: String) -> Int {
        answers[login]?.count ?? 0
    }

    func hasArrived(_ choice: Choice, for login: String) -> Bool {
        answers[login]?.contains { $0.choice == choice } == true
    }

    private func replies(
        to choice: Choice, for login: String
    ) -> Set<ServerExchange.Verdict> {
        let asked = choice == .approve ? parts.verdicts(on: login) : []
        return asked.union(
            (answers[login] ?? []).filter { $0.choice == choice }.compactMap(\.exchange.verdict))
    }

    // MARK: One decision

    /// Another decision may follow one only if each copy of that was refused before, and the
    /// challenge left open.
    func doubledDecisions() -> [Violation] {
        var violations: [Violation] = []
        for (login, answers) in answers.sorted(by: { $0.key < $1.key }) {
            for (index, later) in answers.enumerated() {
                let standing = answers[..<index].first { earlier in
                    guard earlier.choice != later.choice else { return false }
                    return !isRefused(earlier.exchange, before: later.exchange)
                }
                guard let standing else { continue }
                violations.append(
                    Violation(
                        .oneDecision,
                        "\(login): \(standing.choice), then \(later.choice)"))
            }
        }
        return violations
    }

    private func isRefused(_ earlier: ServerExchange, before later: ServerExchange) -> Bool {
        guard !earlier.isApproval else { return parts.isVoid(earlier, before: later) }
        return earlier.verdict == .refused && earlier.replied ?? .max <= later.arrived
    }

    // MARK: Delivery

    /// What the SDK acknowledged or recorded must have come, and the last word must be the server's.
    func lostDecisions(
        _ logins: [LoginFacts], _ snapshot: StoreSnapshot
    ) -> [Violation] {
        logins.flatMap { login in lostAnswers(of: login) + wrongEnd(of: login, snapshot) }
    }

    private func lostAnswers(of login: LoginFacts) -> [Violation] {
        var violations: [Violation] = []
        for choice in login.kept where !hasArrived(choice, for: login.id) {
            violations.append(
                Violation(.delivery, "\(login.id): \(choice) was on disk and never came"))
        }
        for acknowledged in login.acknowledged {
            let (choice, outcome) = (acknowledged.choice, acknowledged.outcome)
            let replies = replies(to: choice, for: login.id)
            let isSo =
                switch outcome {
                case "taken": replies.contains(.taken)
                case "may retry", "not taken": replies.contains(.refused)
                default: hasArrived(choice, for: login.id)
                }
            guard !isSo else { continue }
            violations.append(
                Violation(
                    .delivery,
                    "\(login.id): \(choice) was called \(outcome), the server said \(words(replies))"
                ))
        }
        return violations
    }

    private func wrongEnd(of login: LoginFacts, _ snapshot: StoreSnapshot) -> [Violation] {
        let row = login.names.flatMap { snapshot.rows[$0.challenge] } ?? login.end
        guard let choice = row?.choice, let outcome = row?.outcome else {
            return [
                Violation(
                    .delivery,
                    "\(login.id): \(row?.choice, default: "nothing") has no final word"
                )
            ]
        }
        let replies = replies(to: choice, for: login.id)
        let expected: String
        switch outcome {
        case "taken" where replies.contains(.taken):
            expected = choice == .deny ? "denied" : "approved"
        // AM's 400 to a repeat doesn't say whether the first copy was wrong.
        case "unknown" where login.vendor == .whole && replies == [.refused]:
            expected = "waiting"
        // One that was made again came after the one before, which was still on its way when the
        // manager was asked about it.
        case "unknown" where replies.contains(.taken) && parts.wasFinished(login.id):
            expected = "approved"
        default:
            return [
                Violation(
                    .delivery,
                    "\(login.id): \(choice) ended as \(outcome), the server said \(words(replies))")
            ]
        }
        guard login.status != expected else { return [] }
        return [
            Violation(
                .delivery,
                "\(login.id): \(choice) ended as \(outcome), but the login is \(login.status)")
        ]
    }

    private func words(_ verdicts: Set<ServerExchange.Verdict>) -> String {
        verdicts.isEmpty ? "nothing" : verdicts.map(\.rawValue).sorted().joined(separator: ", ")
    }

    // MARK: The rest

    /// The plugin records an enrollment before it registers, so that every one the server has taken
    /// must be on disk.
    func lostEnrollments(
        _ snapshot: StoreSnapshot, removed: Set<String> = []
    ) -> [Violation] {
        let kept = Set(snapshot.enrollments.map(\.id.name))
        return exchanges.compactMap { exchange in
            guard case .registration(let mechanism) = exchange.request, exchange.status == 200,
                !kept.contains(mechanism), !removed.contains(mechanism)
            else { return nil }
            return Violation(.enrollment, "\(mechanism) is registered, and not on disk")
        }
    }

    static func shownTwice(_ logins: [LoginFacts]) -> [Violation] {
        logins.filter { $0.timesNew > 1 }
            .map { Violation(.seenOnce, "\($0.id): new \($0.timesNew) times") }
    }

    static func damaged(_ snapshot: StoreSnapshot) -> [Violation] {
        snapshot.damaged.map { Violation(.store, "\($0) is damaged") }
    }
}

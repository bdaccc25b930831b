import PushCore

/// Compares what the server's log says with what the SDK said, and with what its store holds.
struct SoakChecks {
    let exchanges: [ServerExchange]
    private let answers: [String: [Answer]]

    private struct Answer {
        let choice: Choice
        let exchange: ServerExchange
    }

    init(_ exchanges: [ServerExchange]) {
        self.exchanges = exchanges
        var answers: [String: [Answer]] = [:]
        for exchange in exchanges {
            guard case .answer(let login, let choice) = exchange.request else { continue }
            answers[login, default: []].append(Answer(choice: choice, exchange: exchange))
        }
        self.answers = answers
    }

    /// How many answers came for a login.
    func count(for login: String) -> Int {
        answers[login]?.count ?? 0
    }

    func hasArrived(_ choice: Choice, for login: String) -> Bool {
        answers[login]?.contains { $0.choice == choice } == true
    }

    private func replies(to choice: Choice, for login: String) -> Set<Int> {
        Set((answers[login] ?? []).filter { $0.choice == choice }.compactMap(\.exchange.status))
    }

    // MARK: One decision

    /// Another decision may follow one only if each copy of that was refused before: 400 is the
    /// one reply that leaves the challenge open.
    func doubledDecisions() -> [Violation] {
        var violations: [Violation] = []
        for (login, answers) in answers.sorted(by: { $0.key < $1.key }) {
            for (index, later) in answers.enumerated() {
                let standing = answers[..<index].first { earlier in
                    guard earlier.choice != later.choice else { return false }
                    let replied = earlier.exchange.replied ?? .max
                    return earlier.exchange.status != 400 || replied > later.exchange.arrived
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
                case "taken": replies.contains(200)
                case "may retry", "not taken": replies.contains(400)
                default: hasArrived(choice, for: login.id)
                }
            guard !isSo else { continue }
            violations.append(
                Violation(
                    .delivery,
                    "\(login.id): \(choice) was called \(outcome), the server said \(replies)"))
        }
        return violations
    }

    private func wrongEnd(of login: LoginFacts, _ snapshot: StoreSnapshot) -> [Violation] {
        let row = login.names.flatMap { snapshot.rows[$0.challenge] }
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
        case "taken" where replies.contains(200):
            expected = choice == .deny ? "denied" : "approved"
        // AM's 400 to a repeat doesn't say whether the first copy was wrong.
        case "unknown" where replies.contains(400) && !replies.contains(200):
            expected = "waiting"
        default:
            return [
                Violation(
                    .delivery,
                    "\(login.id): \(choice) ended as \(outcome), the server said \(replies)")
            ]
        }
        guard login.status != expected else { return [] }
        return [
            Violation(
                .delivery,
                "\(login.id): \(choice) ended as \(outcome), but the login is \(login.status)")
        ]
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

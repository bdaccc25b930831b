import Foundation
import PushCore

/// The checks of answers that are kept in part: the vendor is asked what became of one before the
/// user makes it again, and nothing in the store lets the PIN be tested.
struct PartChecks {
    private typealias Assertion = ServerExchange.Assertion

    /// What came about each login's assertions, whole or in part.
    private var exchanges: [String: [ServerExchange]] = [:]

    /// Where each assertion came whole for the first time.
    private var firstArrivals: [Assertion: Int] = [:]

    init(_ exchanges: [ServerExchange]) {
        for exchange in exchanges {
            guard let assertion = exchange.request.assertion else { continue }
            self.exchanges[assertion.login, default: []].append(exchange)
            if exchange.isApproval, firstArrivals[assertion] == nil {
                firstArrivals[assertion] = exchange.arrived
            }
        }
    }

    // MARK: One decision

    /// Whether the manager has said of a wrong PIN that it was one, which came with this approval or
    /// after it. Another challenge comes with that word, and nothing that was signed before counts any
    /// more.
    func isVoid(_ earlier: ServerExchange, before later: ServerExchange) -> Bool {
        about(earlier).contains { exchange in
            guard exchange.verdict == .refused, exchange.replied ?? .max <= later.arrived,
                let assertion = exchange.request.assertion, let judged = firstArrivals[assertion]
            else { return false }
            return judged >= earlier.arrived
        }
    }

    /// An approval may be made again only once the manager said of each before that it has judged no
    /// such one.
    func unaskedApprovals() -> [Violation] {
        approvals.flatMap { login, approvals in
            approvals.enumerated().compactMap { index, later in
                let unasked = approvals[..<index].first { earlier in
                    earlier.request.assertion != later.request.assertion
                        && !isVoid(earlier, before: later) && !isUnjudged(earlier, before: later)
                }
                return unasked.map { _ in
                    Violation(.asked, "\(login): approved again before anyone asked")
                }
            }
        }
    }

    /// Whether the manager, asked, has said that it judged no such approval: the PIN's proof is missing,
    /// or the process has another challenge now.
    private func isUnjudged(_ earlier: ServerExchange, before later: ServerExchange) -> Bool {
        about(earlier).contains { exchange in
            exchange.isQuestion && exchange.request.assertion == earlier.request.assertion
                && ["factors_missing", "malformed_request"].contains(exchange.word)
                && exchange.replied ?? .max <= later.arrived
        }
    }

    /// However often an approval is made, the manager takes one.
    func doubledApprovals() -> [Violation] {
        exchanges.sorted { $0.key < $1.key }.compactMap { login, exchanges in
            let taken = Set(
                exchanges.filter { $0.verdict == .taken }.compactMap(\.request.assertion))
            guard taken.count > 1 else { return nil }
            return Violation(.oneDecision, "\(login): \(taken.count) approvals were taken")
        }
    }

    // MARK: What came of asking

    /// The verdicts on a login's approvals, asked for ones included.
    func verdicts(on login: String) -> Set<ServerExchange.Verdict> {
        Set((exchanges[login] ?? []).compactMap(\.verdict))
    }

    /// Whether the manager has refused an approval of a login because there was one before.
    func wasFinished(_ login: String) -> Bool {
        exchanges[login]?.contains { $0.word == "process_finished" } == true
    }

    /// What was asked about a login after a line of the log.
    func questions(about login: String, after line: Int) -> [ServerExchange] {
        (exchanges[login] ?? []).filter { $0.isQuestion && $0.arrived > line }
    }

    // MARK: Secrets

    /// No record holds a PIN, what the manager was sent as its proof, or an answer with such a proof.
    func leaks(in snapshot: StoreSnapshot, of logins: some Sequence<LoginFacts>) -> [Violation] {
        var needles = [SoakUser.pin, SoakUser.mistyped].map { ("a PIN", Data($0.utf8)) }
        for login in logins {
            for case .approval(_, let proof) in (exchanges[login.id] ?? []).map(\.request) {
                needles.append(("a PIN's proof", Data(proof.utf8)))
                if let code = Data(base64URL: proof), !code.isEmpty {
                    needles.append(("a PIN's proof", code))
                }
            }
        }
        // Such an answer needn't have left.
        let factor = Data(#""type":"pin""#.utf8)
        return snapshot.records.sorted { $0.key < $1.key }.compactMap { name, record in
            let found =
                name.hasPrefix(RecordedRows.collection + "/") && record.range(of: factor) != nil
                ? "an answer with a PIN's proof"
                : needles.first { record.range(of: $0.1) != nil }?.0
            return found.map { Violation(.secrets, "\(name) holds \($0)") }
        }
    }

    private var approvals: [(login: String, approvals: [ServerExchange])] {
        exchanges.sorted { $0.key < $1.key }.map { ($0.key, $0.value.filter(\.isApproval)) }
    }

    private func about(_ exchange: ServerExchange) -> [ServerExchange] {
        exchange.request.assertion.flatMap { exchanges[$0.login] } ?? []
    }
}

extension ServerExchange {
    var isApproval: Bool {
        if case .approval = request { true } else { false }
    }

    fileprivate var isQuestion: Bool {
        if case .question = request { true } else { false }
    }
}

extension ServerExchange.Request {
    /// The assertion that it brings; `nil` if it is about no PIN.
    fileprivate var assertion: ServerExchange.Assertion? {
        switch self {
        case .approval(let assertion, _), .question(let assertion): assertion
        default: nil
        }
    }
}

import PushCore
import TerminalIO

/// What came of an answer.
struct OutcomeReport: Report {
    let id: Challenge.ID
    let resolution: Resolution
    let outcome: Outcome
    var subject: Subject?

    var json: JSON {
        var object: JSON.Object = [
            "id": .string(Abbreviation(id).text),
            "outcome": .string(outcome.word(for: resolution)),
        ]
        if case .notTaken(let refusal) = outcome {
            object["why"] = .string(refusal.reason.rawValue)
            object["attemptsLeft"] = refusal.attemptsLeft.map { .number(.init(Int64($0))) }
        }
        if case .code(let code, let message) = outcome {
            object["code"] = .string(code)
            object["message"] = message.map(JSON.string)
        }
        if case .unknown(let why) = outcome { object["why"] = .string(why) }
        return .object(object)
    }

    func text(for terminal: Terminal) -> String {
        switch outcome {
        case .delivered: terminal.colored(outcome.word(for: resolution), .green)
        case .code(let code, let message):
            (message.map { "They say: \(printable($0))\n" } ?? "")
                + "Type this code where you log in: \(printable(code))"
        case .notTaken(let refusal):
            terminal.colored("not taken", .red) + ": \(refusal.reason.rawValue)"
                + (refusal.attemptsLeft.map { ", \($0) attempts left" } ?? "")
        case .unknown(let why):
            terminal.colored("unknown", .yellow) + " whether it was taken: \(printable(why))"
        case .ended:
            terminal.colored("ended", .yellow) + ": nobody says whether it was taken"
        case .expired, .answeredElsewhere, .cancelled, .verifyAgain:
            terminal.colored(outcome.word(for: resolution), .yellow)
        @unknown default: terminal.colored(outcome.word(for: resolution), .yellow)
        }
    }
}

import Foundation
import PushCore
import TerminalIO

/// A challenge as the store remembers it, and what it asks if it was opened.
struct ChallengeReport: Report {
    let record: ChallengeRecord
    var challenge: Challenge?
    var subject: Subject?

    var json: JSON {
        let notice = record.notice
        var object: JSON.Object = [
            "id": .string(Abbreviation(record.id).text),
            "provider": .string(record.id.enrollment.provider.rawValue),
            "enrollment": .string(Abbreviation(record.id.enrollment).text),
            "name": .string(record.id.name),
            "state": .string(record.state.word),
        ]
        object["title"] = notice.title.map(JSON.string)
        object["body"] = notice.body.map(JSON.string)
        object["issued"] = notice.issued.map { .string(timestamp($0)) }
        object["expires"] = notice.expiry.map { .string(timestamp($0)) }
        if let challenge { object["asks"] = challenge.json }
        return .object(object)
    }

    func text(for terminal: Terminal) -> String {
        let color: Terminal.Color = record.state == .open ? .yellow : .gray
        var lines = [
            [
                Abbreviation(record.id).text, terminal.colored(record.state.word, color),
                record.id.enrollment.provider.rawValue, headline,
            ].filter { !$0.isEmpty }.joined(separator: "  ")
        ]
        if let challenge { lines += challenge.lines.dropFirst(linesInHeadline).map { "  " + $0 } }
        return lines.joined(separator: "\n")
    }
}

extension ChallengeReport {
    /// What it is about, in a line: of one that was opened the first that is shown. Some announce a
    /// challenge without a word.
    private var headline: String {
        if let challenge { return challenge.shown.isEmpty ? "" : challenge.lines[0] }
        return [record.notice.title, record.notice.body].compactMap { $0 }
            .filter { !$0.isEmpty }.map(printable).joined(separator: ": ")
    }

    /// How many of the challenge's lines the headline is.
    private var linesInHeadline: Int { challenge?.shown.isEmpty == false ? 1 : 0 }
}

extension ChallengeRecord.State {
    /// A word for people and scripts.
    var word: String {
        switch self {
        case .open: "open"
        case .decided(let resolution): resolution.isDenial ? "denying" : "approving"
        case .answered(let resolution, let outcome): outcome.word(for: resolution)
        case .over(let withdrawal): withdrawal.reason.rawValue
        @unknown default: "unknown"
        }
    }
}

extension Outcome {
    /// A word for people and scripts.
    func word(for resolution: Resolution) -> String {
        switch self {
        case .delivered, .code: resolution.isDenial ? "denied" : "approved"
        case .notTaken(let refusal): refusal.mayRetry ? "retry" : "not-taken"
        case .expired: "expired"
        case .answeredElsewhere: "elsewhere"
        case .cancelled: "cancelled"
        case .ended: "ended"
        case .verifyAgain: "verify-again"
        case .unknown: "unknown"
        @unknown default: "unknown"
        }
    }
}

extension Challenge {
    fileprivate var json: JSON {
        var object: JSON.Object = ["prompt": .string(prompt.word)]
        if case .choose(let options) = prompt {
            object["options"] = .array(options.map(JSON.string))
        }
        if case .enter(let digits) = prompt { object["digits"] = .number(.init(Int64(digits))) }
        object["shown"] = shown.json
        object["fields"] = fields.json
        object["address"] = origin.address.map(JSON.string)
        object["agent"] = origin.agent.map(JSON.string)
        object["application"] = origin.application.map(JSON.string)
        object["place"] = origin.place.flatMap { place in
            guard let latitude = JSON.Number(place.latitude),
                let longitude = JSON.Number(place.longitude)
            else { return nil }
            return ["latitude": .number(latitude), "longitude": .number(longitude)]
        }
        object["verification"] = .array(
            verification.map { .array($0.map { .string($0.name) }) })
        return .object(object)
    }

    /// What it asks, for a person.
    var lines: [String] {
        var lines = shown.map { printable($0.description, limit: 4096) }
        switch prompt {
        case .approve: lines.append("Approve or deny it.")
        case .choose(let options):
            lines.append("Choose one of: \(options.map(printable).joined(separator: ", "))")
        case .enter(let digits): lines.append("Enter the \(digits) digits that are shown.")
        case .denyOnly(let why): lines.append("It can only be denied: \(printable(why))")
        @unknown default: lines.append("It can only be denied.")
        }
        return lines
    }
}

extension [Challenge.Field] {
    /// For scripts.
    var json: JSON {
        .array(map { ["label": .string($0.label), "value": .string($0.value)] })
    }
}

extension Challenge.Prompt {
    /// A word for people and scripts.
    var word: String {
        switch self {
        case .approve: "approve"
        case .choose: "choose"
        case .enter: "enter"
        case .denyOnly: "deny-only"
        @unknown default: "deny-only"
        }
    }
}

/// A moment in UTC (RFC 3339), to the second.
func timestamp(_ date: Date) -> String {
    date.formatted(.iso8601)
}

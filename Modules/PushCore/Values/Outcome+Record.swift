extension Outcome: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        let text = try members.optional("text") { $0.string }
        switch (try members.required("is", { $0.string }), text) {
        case ("delivered", _): self = .delivered
        case ("notTaken", _): self = .notTaken(try Refusal(json: json))
        case ("expired", _): self = .expired
        case ("answeredElsewhere", _): self = .answeredElsewhere
        case ("cancelled", _): self = .cancelled
        case ("ended", _): self = .ended
        case ("code", let text?):
            self = .code(text, message: try members.optional("message") { $0.string })
        case ("verifyAgain", _): self = .verifyAgain
        case ("unknown", let text?): self = .unknown(text)
        default: throw PushError(.malformed, "A record holds an unknown outcome.")
        }
    }

    var json: JSON {
        switch self {
        case .delivered: ["is": "delivered"]
        case .notTaken(let refusal): refusal.json
        case .expired: ["is": "expired"]
        case .answeredElsewhere: ["is": "answeredElsewhere"]
        case .cancelled: ["is": "cancelled"]
        case .ended: ["is": "ended"]
        case .code(let text, let message):
            ["is": "code", "text": .string(text), "message": message.map(JSON.string) ?? .null]
        case .verifyAgain: ["is": "verifyAgain"]
        case .unknown(let text): ["is": "unknown", "text": .string(text)]
        }
    }
}

extension Outcome.Refusal: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        self.init(
            try members.required("why") { $0.string.flatMap(Reason.init(rawValue:)) },
            mayRetry: try members.required("mayRetry") { $0.bool },
            appliesToAllCopies: try members.optional("noCopyTaken") { $0.bool } ?? false,
            attemptsLeft: try members.optional("attemptsLeft") { $0.integer.map(Int.init) },
            status: try members.optional("status") { $0.integer.map(Int.init) })
    }

    var json: JSON {
        func number(_ value: Int?) -> JSON { value.map { .integer($0) } ?? .null }
        return [
            "is": "notTaken", "why": .string(reason.rawValue), "mayRetry": .bool(mayRetry),
            "noCopyTaken": appliesToAllCopies ? true : .null, "attemptsLeft": number(attemptsLeft),
            "status": number(status),
        ]
    }
}

import Foundation
import PushCore
import PushTesting

/// What a capture has of one message and its challenge.
struct ReplayCase {
    /// The message; `nil` if it came before the capture began.
    var message: CaptureReading.Line?

    /// What was done about its challenge: opened, decided, answered.
    var steps: [CaptureReading.Line] = []

    /// How each exchange between a decision and its answer went wrong, in order; `nil` for one that
    /// didn't.
    var troubles: [ReplayTrouble?] = []

    private var challenge: String?

    /// All of a provider's lines, told apart by challenge. A message that names none, such as a hint, is
    /// followed by the next challenge that is new.
    static func all(in lines: [CaptureReading.Line]) -> [ReplayCase] {
        var cases: [ReplayCase] = []
        var deciding: Int?
        for line in lines {
            switch line.event {
            case "message":
                let isKnown = line.challenge.map { name in cases.contains { $0.challenge == name } }
                if isKnown != true {
                    cases.append(ReplayCase(message: line, challenge: line.challenge))
                }
            case "open", "decide", "answer":
                let index = place(of: line, in: &cases)
                cases[index].steps.append(line)
                if line.event == "decide" { deciding = index }
                if line.event == "answer" { deciding = nil }
            case "reply":
                if let deciding { cases[deciding].troubles.append(ReplayTrouble(line)) }
            default: break
            }
        }
        return cases
    }

    private static func place(
        of line: CaptureReading.Line, in cases: inout [ReplayCase]
    ) -> Int {
        if let index = cases.firstIndex(where: { $0.challenge == line.challenge }) { return index }
        if let index = cases.firstIndex(where: {
            $0.challenge == nil && $0.message?.verdict == "hint"
        }) {
            cases[index].challenge = line.challenge
            return index
        }
        cases.append(ReplayCase(message: nil, challenge: line.challenge))
        return cases.count - 1
    }

    private init(message: CaptureReading.Line?, challenge: String?) {
        self.message = message
        self.challenge = challenge
    }

    /// The kind of the login, by what was asked and what was chosen.
    var kind: SimulatedLogin.Kind {
        let words = steps.compactMap {
            $0.members["resolution"]?.string ?? $0.members["prompt"]?.string
        }
        return words.contains { $0.hasPrefix("choose") || $0.hasPrefix("enter") }
            ? .number : .confirm
    }

    /// What was wrong with the message; `nil` if nothing was.
    var fault: ReplayFault? {
        guard let message else { return nil }
        let content = message.members["message"] ?? .null
        switch message.verdict {
        case "notice":
            guard let expiry = Self.date(message.members["expiry"]),
                let time = Self.date(message.members["time"]), expiry < time
            else { return nil }
            return .expired(ago: .seconds(time.timeIntervalSince(expiry)))
        case "refused":
            let check = message.members["checks"]?.array?.first?["check"]?.string
            let algorithm = Self.token(in: content)?["header"]?["alg"]?.string
            switch (message.members["code"]?.string, check) {
            case ("untrusted", _) where algorithm == "none",
                ("malformed", _) where algorithm == "none":
                return .unsigned
            case ("untrusted", "mac"?), ("untrusted", "signature"?):
                return .wrongSignature(algorithm: algorithm)
            case ("untrusted", "decryption"?): return .wrongKey
            case ("malformed", _):
                let members = Self.token(in: content)?["claims"]?.object ?? content.object
                return .lacking(Set(members?.members.map(\.name) ?? []))
            default: return .another(message.members["code"]?.string ?? "no code")
            }
        default: return nil
        }
    }

    private static func date(_ json: JSON?) -> Date? {
        json?.string.flatMap {
            try? Date($0, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
    }

    /// The first token anywhere in a message.
    private static func token(in json: JSON) -> JSON? {
        if let token = json["jws"] { return token }
        for value in json.array ?? json.object?.members.map(\.value) ?? [] {
            if let token = token(in: value) { return token }
        }
        return nil
    }
}

/// What was wrong with a message, in words that all vendors share.
enum ReplayFault: Hashable {
    /// A signature or a MAC said no.
    case wrongSignature(algorithm: String?)
    /// It couldn't be decrypted.
    case wrongKey
    /// It had no signature.
    case unsigned
    /// It was over when it came.
    case expired(ago: Duration)
    /// It had these members, and not all that a message has.
    case lacking(Set<String>)
    /// Something that isn't known how to make again.
    case another(String)
}

/// How an exchange went wrong on the way.
enum ReplayTrouble: Hashable, Sendable {
    case failure(String)
    case status(Int, retryAfter: String?)

    init?(_ line: CaptureReading.Line) {
        if let error = line.members["error"]?.string {
            self = .failure(error)
            return
        }
        guard let status = line.members["status"]?.integer, status == 429 || status >= 500 else {
            return nil
        }
        let wait = line.members["headers"]?["retry-after"]?.string
        self = .status(Int(status), retryAfter: wait)
    }
}

import PushCore
import TerminalIO

/// A provider of which it is written down what it was handed, and what its checks said.
struct CapturedProvider: PushProvider {
    let base: any PushProvider
    let log: CaptureLog

    var id: ProviderID { base.id }
    var capabilities: Capabilities { base.capabilities }
    var prompts: [Challenge.Prompt] { base.prompts }
    var pushServices: [DeviceToken.Service] { base.pushServices }
    var enroller: any Enroller { CapturedEnroller(base: base.enroller, id: id, log: log) }
    var resolver: any Resolver { CapturedResolver(base: base.resolver, id: id, log: log) }
    var codes: (any CodeGenerator)? { base.codes }
    var history: (any HistorySource)? { base.history }
    var inbox: (any Inbox)? { base.inbox }
    var exporter: any EnrollmentExporter { base.exporter }

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        guard let candidate = base.candidate(in: message) else { return nil }
        return PushMessage.Candidate(message) {
            [id, log] (message, accounts) async throws(PushError) in
            do throws(PushError) {
                let event = try await candidate.verified(with: accounts)
                let challenge = event.challenge
                let row = await challenge.asyncMap(log.row) ?? "none"
                log.note("message", id, challenge) { redaction in
                    redaction.message(message).adding(event.verdict).adding(["row": row])
                }
                return event
            } catch {
                log.note("message", id) { redaction in
                    redaction.message(message).adding(["verdict": "refused"])
                        .adding(redaction.error(error))
                }
                throw error
            }
        }
    }

    func merged(
        _ known: Announcement, _ other: Announcement
    ) throws(PushError) -> Announcement? {
        try base.merged(known, other)
    }
}

extension CaptureRedaction {
    mutating func message(_ message: PushMessage) -> JSON.Object {
        ["channel": .string("\(message.channel)"), "message": json(message.content)]
    }
}

extension PushEvent {
    var challenge: Challenge.ID? {
        switch self {
        case .notice(let announcement): announcement.notice.id
        case .withdrawal(let withdrawal): withdrawal.id
        case .incompatible(let incompatible): incompatible.id
        case .hint: nil
        @unknown default: nil
        }
    }

    fileprivate var verdict: JSON.Object {
        switch self {
        case .notice(let announcement):
            let notice = announcement.notice
            var members: JSON.Object = ["verdict": "notice"]
            members["checks"] = [["check": .string(notice.proof.rawValue), "says": "right"]]
            members["issued"] = notice.issued.map { .string(timestamp($0)) }
            members["expiry"] = notice.expiry.map { .string(timestamp($0)) }
            return members
        case .withdrawal(let withdrawal):
            return ["verdict": "withdrawal", "why": .string(withdrawal.reason.rawValue)]
        case .incompatible: return ["verdict": "incompatible"]
        case .hint: return ["verdict": "hint", "checks": []]
        @unknown default: return ["verdict": "unknown"]
        }
    }
}

extension CaptureRedaction {
    /// The code, the reason, and what said no. A reason is a sentence of the SDK's that holds no
    /// secret; what a plugin puts into it is a name of a member, of a server or a number.
    mutating func error(_ error: PushError) -> JSON.Object {
        var members: JSON.Object = ["code": .string(error.code.name)]
        members["reason"] = .string(sentence(error.reason))
        members["ends"] = error.ends.map { .string($0.rawValue) }
        if let check = CapturedCheck.kind(of: error) {
            members["checks"] = [["check": .string(check), "says": "wrong"]]
        }
        return members
    }
}

/// Which check a refusal came of.
enum CapturedCheck {
    /// A signature, a MAC or a decryption that said no; `nil` if it was something else.
    static func kind(of error: PushError) -> String? {
        guard error.code == .untrusted else { return nil }
        var errors = [error.reason]
        var cause = error.underlying as? PushError
        while let inner = cause {
            errors.append(inner.reason)
            cause = inner.underlying as? PushError
        }
        let text = errors.joined(separator: " ").lowercased()
        if text.contains("authentication code") || text.contains(" mac ") { return "mac" }
        if text.contains("decrypt") || text.contains("opened") { return "decryption" }
        return ["sign", "verifies", "alg", "verify"].contains(where: text.contains)
            ? "signature" : nil
    }
}

extension Optional {
    fileprivate func asyncMap<Value>(
        _ transform: (Wrapped) async -> Value
    ) async -> Value? {
        guard let self else { return nil }
        return await transform(self)
    }
}

import Foundation
import PushCore
import TerminalIO

/// What was made of one line of the input, redacted already.
struct Inspection: Report {
    /// A token that was found in the message.
    struct Token {
        let place: String
        let header: JSON
        let claims: JSON?
        /// `nil` if no key was given.
        let verdict: TokenKeys.Verdict?
    }

    /// What one provider makes of it.
    struct View {
        let provider: ProviderID
        var isRecognized = false
        var isVerified = false
        var why: String?
        var refusal: PushError.Code?
        var kind: String?
        var enrollment: String?
        var claims: JSON?
        var offer: JSON.Object?
        /// The servers it would have asked.
        var asks: [String] = []
    }

    let line: Int
    let form: InspectInput.Form
    let error: String?
    var message: JSON?
    var tokens: [Token] = []
    var providers: [View] = []

    /// What it counts for the exit code.
    var status: ExitStatus {
        if form == .empty { return .done }
        if error != nil { return .untrusted }
        let refusals = providers.compactMap(\.refusal)
        let isHint = providers.contains { $0.kind == "hint" }
        if providers.contains(where: \.isVerified) || isHint { return .done }
        if refusals.contains(where: { ExitStatus($0) == .untrusted }) { return .untrusted }
        let verdicts = tokens.compactMap(\.verdict)
        if verdicts.contains(where: { if case .refused = $0 { true } else { false } }) {
            return .untrusted
        }
        if refusals.contains(where: { ExitStatus($0) == .store }) { return .store }
        if !verdicts.isEmpty || providers.contains(where: { $0.offer?["host"] != nil }) {
            return .done
        }
        return .notFound
    }

    var json: JSON {
        var object: JSON.Object = [
            "line": .number(.init(Int64(line))), "form": .string(form.rawValue),
        ]
        if let error {
            object["error"] = .string(error)
            return .object(object)
        }
        if form == .empty { return .object(object) }
        object["message"] = message
        object["tokens"] = .array(tokens.map(\.json))
        object["providers"] = .array(providers.map(\.json))
        return .object(object)
    }

    func text(for terminal: Terminal) -> String {
        var lines = [terminal.colored("line \(line)", .bold) + "  \(form.rawValue)"]
        if let error {
            lines.append("  " + terminal.colored("can't be read", .red) + ": \(printable(error))")
        }
        if let message { lines += Self.wrapped("message", message) }
        for token in tokens { lines += token.lines(for: terminal) }
        for view in providers { lines += view.lines(for: terminal) }
        return lines.joined(separator: "\n")
    }

    /// Members on lines of their own: what is long stays readable, and whole.
    fileprivate static func wrapped(
        _ title: String, _ json: JSON, indent: String = "  "
    ) -> [String] {
        guard let object = json.object else { return ["\(indent)\(title)  \(harmless(json))"] }
        return ["\(indent)\(title)"]
            + object.members.map { "\(indent)  \(printable($0.name)): \(harmless($0.value))" }
    }

    private static func harmless(_ json: JSON) -> String { printable(json.text, limit: .max) }
}

extension Inspection.Token {
    fileprivate var json: JSON {
        var object: JSON.Object = ["at": .string(place), "header": header]
        object["claims"] = claims
        switch verdict {
        case .verified(let by)?:
            object["verified"] = true
            object["by"] = .string(by)
        case .refused(let why)?:
            object["verified"] = false
            object["why"] = .string(why)
        case nil:
            object["verified"] = false
            object["why"] = "no key was given"
        }
        return .object(object)
    }

    fileprivate func lines(for terminal: Terminal) -> [String] {
        let place = place.isEmpty ? "token" : "token at \(printable(place))"
        let state =
            switch verdict {
            case .verified(let by)?:
                terminal.colored("signature verified", .green) + ": \(printable(by))"
            case .refused(let why)?: terminal.colored("UNVERIFIED", .red) + ": \(printable(why))"
            case nil: terminal.colored("UNVERIFIED", .yellow)
            }
        let claims = claims.map { Inspection.wrapped("claims", $0, indent: "    ") }
        return ["  \(place)  \(state)"] + Inspection.wrapped("header", header, indent: "    ")
            + (claims ?? ["    claims  none: the second part isn't a JSON object"])
    }
}

extension Inspection.View {
    /// Takes over what an event says.
    mutating func read(_ event: PushEvent, _ redaction: Redaction) {
        isVerified = true
        switch event {
        case .notice(let announcement):
            kind = "notice"
            let notice = announcement.notice
            enrollment = Abbreviation(notice.id.enrollment).text
            claims = .object(Self.claims(of: notice, redaction))
        case .withdrawal(let withdrawal):
            kind = "withdrawal"
            enrollment = Abbreviation(withdrawal.id.enrollment).text
            claims = [
                "id": .string(Abbreviation(withdrawal.id).text),
                "reason": .string(withdrawal.reason.rawValue),
                "ignorable": .bool(withdrawal.isIgnorable),
            ]
        case .incompatible(let incompatible):
            kind = "incompatible"
            enrollment = Abbreviation(incompatible.id.enrollment).text
            var object: JSON.Object = [
                "id": .string(Abbreviation(incompatible.id).text),
                "kind": redaction(incompatible.kind, named: "kind"),
                "ignorable": .bool(incompatible.isIgnorable),
            ]
            object["minimumVersion"] = incompatible.minimumVersion.map(JSON.string)
            claims = .object(object)
        case .hint(let hint):
            kind = "hint"
            isVerified = false
            why = "it proves nothing: the server would be asked"
            claims = ["enrollments": .number(.init(Int64(hint.enrollments.count)))]
        @unknown default: kind = "unknown"
        }
    }

    private static func claims(of notice: Notice, _ redaction: Redaction) -> JSON.Object {
        var object: JSON.Object = [
            "id": .string(Abbreviation(notice.id).text), "proof": .string(notice.proof.rawValue),
        ]
        object["title"] = notice.title.map { redaction($0, named: "title") }
        object["body"] = notice.body.map { redaction($0, named: "body") }
        object["issued"] = notice.issued.map { .string(timestamp($0)) }
        object["expires"] = notice.expiry.map { .string(timestamp($0)) }
        if let expiry = notice.expiry { object["expired"] = .bool(expiry < Date()) }
        return object
    }

    fileprivate var json: JSON {
        var object: JSON.Object = [
            "provider": .string(provider.rawValue), "recognized": .bool(isRecognized),
            "verified": .bool(isVerified),
        ]
        object["why"] = why.map(JSON.string)
        object["kind"] = kind.map(JSON.string)
        object["enrollment"] = enrollment.map(JSON.string)
        object["claims"] = claims
        object["offer"] = offer.map(JSON.object)
        if !asks.isEmpty { object["asks"] = .array(asks.map(JSON.string)) }
        return .object(object)
    }

    fileprivate func lines(for terminal: Terminal) -> [String] {
        var words: [String]
        if !isRecognized {
            words = [terminal.colored("not recognized", .gray)]
        } else if isVerified {
            words = ["recognized, " + terminal.colored("verified", .green)]
        } else {
            words = ["recognized, " + terminal.colored("not verified", .yellow)]
        }
        if let kind { words.append(kind) }
        if let enrollment { words.append("of enrollment \(enrollment)") }
        if let why { words.append(printable(why)) }
        var lines = ["  \(printable(provider.rawValue))  \(words.joined(separator: "; "))"]
        if let claims { lines += Inspection.wrapped("claims", claims, indent: "    ") }
        if let offer { lines += Inspection.wrapped("would enroll", .object(offer), indent: "    ") }
        if !asks.isEmpty {
            lines.append("    would ask  \(asks.map(printable).joined(separator: ", "))")
        }
        return lines
    }
}

import Foundation
import PushCore
import PushPlatform
import TerminalIO

/// Certificates and their pins, as text for people or JSON for programs.
struct PinReport {
    /// The file or the server that they came from.
    let source: String
    let certificates: [ShownCertificate]

    /// Whether a server's chain holds; `nil` for a file.
    let verdict: ServerProbe.Verdict?

    /// What to do before one relies on the pins.
    private static let advice = """
        Compare the pins with what the server's operator tells you over another channel: whoever \
        is on the way could have shown you keys of their own.
        A rule needs two pins at least: one of a key in use, and one of a key kept in reserve.
        """

    // MARK: Text

    func text(for terminal: Terminal) -> String {
        let count = certificates.count
        let noun = count == 1 ? "1 certificate" : "\(count) certificates"
        var paragraphs: [String] = []
        switch verdict {
        case .untrusted(let why):
            paragraphs.append(
                terminal.colored("WARNING: THIS CHAIN IS NOT TRUSTED. \(why)", .red))
            paragraphs.append("\(source) presented \(noun):")
        case .trusted:
            paragraphs.append("\(source) presented \(noun), and the chain holds:")
        case nil:
            paragraphs.append("\(printable(source)) holds \(noun); nothing was verified:")
        }
        paragraphs += certificates.map { paragraph($0, terminal) }
        paragraphs.append(Self.advice)
        return paragraphs.joined(separator: "\n\n")
    }

    private func paragraph(_ certificate: ShownCertificate, _ terminal: Terminal) -> String {
        var validity = "validity can't be read"
        if let dates = certificate.validity {
            let (start, end) = (Self.text(dates.lowerBound), Self.text(dates.upperBound))
            validity = "valid \(start) to \(end)"
            if dates.lowerBound > .now { validity += terminal.colored(" (not yet)", .yellow) }
            if dates.upperBound < .now { validity += terminal.colored(" (expired)", .yellow) }
        }
        let subject = certificate.subject.isEmpty ? "(no subject)" : certificate.subject
        let gap = String(repeating: " ", count: 11)
        let role = certificate.role.rawValue
        let head = terminal.colored(role, .gray) + gap.dropFirst(role.count) + subject
        let pin = certificate.pin.map { terminal.colored("\($0)", .bold) } ?? "(no key found)"
        return [head, gap + validity, gap + pin].joined(separator: "\n")
    }

    private static func text(_ date: Date) -> String {
        date.formatted(.iso8601)
    }

    // MARK: JSON

    /// One object: `source`, `certificates`, and for a server `trusted` and perhaps `problem`.
    var json: String {
        var report: JSON.Object = ["source": .string(printable(source))]
        report["certificates"] = .array(
            certificates.map { certificate in
                [
                    "role": .string(certificate.role.rawValue),
                    "subject": .string(certificate.subject),
                    "notBefore": certificate.validity.map { .string(Self.text($0.lowerBound)) }
                        ?? .null,
                    "notAfter": certificate.validity.map { .string(Self.text($0.upperBound)) }
                        ?? .null,
                    "pin": certificate.pin.map { .string($0.description) } ?? .null,
                ]
            })
        switch verdict {
        case .trusted: report["trusted"] = true
        case .untrusted(let why):
            report["trusted"] = false
            report["problem"] = .string(why)
        case nil: break
        }
        return JSON.object(report).text
    }
}

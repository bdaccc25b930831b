import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An operation, as the server keeps it.
struct Operation: Sendable {
    let id: String
    /// `nil` until somebody claims it.
    var user: String?
    /// The only activation that may see it; any of the user's if `nil`.
    let activation: String?
    let template: PowerAuthSimulator.OperationTemplate
    let created: Int64
    let expiry: Int64
    /// What its proximity passwords are made of.
    let seed: Secret
    let fault: PowerAuthSimulator.BadPush?

    var status = PowerAuthSimulator.OperationStatus.pending
    var reason: String?
    var failures = 0

    func isFor(_ activation: Activation) -> Bool {
        user == activation.user && (self.activation ?? activation.id) == activation.id
    }

    var json: JSON {
        var members: JSON.Object = [
            "id": .string(id), "name": .string(template.name), "data": .string(template.data),
            "status": .string(status.rawValue),
        ]
        members["statusReason"] = reason.map { .string(String($0.prefix(32))) }
        members["operationCreated"] = .string(Moment.operation(created))
        members["operationExpires"] = .string(Moment.operation(expiry))
        members["allowedSignatureType"] = template.approval.json
        members["formData"] = form
        members["ui"] = ui
        for member in template.replacedMembers.members {
            members[member.name] = member.value == .null ? JSON?.none : member.value
        }
        return .object(members)
    }

    private var form: JSON {
        var form: JSON.Object = [
            "title": .string(template.title), "message": .string(template.message),
            "attributes": .array(template.attributes.map { $0.json }),
        ]
        if !template.resultTexts.isEmpty { form["resultTexts"] = .object(template.resultTexts) }
        return .object(form)
    }

    private var ui: JSON? {
        var ui = template.ui
        if let screen = template.preApprovalScreen {
            ui["preApprovalScreen"] = screen.json
        } else if template.needsProximity {
            ui["preApprovalScreen"] =
                PowerAuthSimulator.PreApprovalScreen(
                    "QR_SCAN", heading: "Scan the code", message: "It is on the screen."
                ).json
        }
        ui["postApprovalScreen"] = template.postApprovalScreen
        return ui.isEmpty ? JSON?.none : .object(ui)
    }
}

/// The one-time passwords that a screen shows to whoever is near.
enum ProximityPassword {
    static func text(_ seed: Secret, at now: Int64) -> String? {
        guard now >= 0, let hotp = try? HOTP(secret: seed, algorithm: .sha256, digits: 8) else {
            return nil
        }
        return hotp.code(counter: UInt64(now / 30_000))
    }

    /// The password of this step of 30 seconds or of the one before it, but never of the next: that
    /// one nobody can have seen.
    static func isRight(_ text: String, _ seed: Secret, at now: Int64) -> Bool {
        [now - 30_000, now].contains { time in
            guard let expected = Self.text(seed, at: time) else { return false }
            return Secret(expected.utf8).isEqualInConstantTime(to: Secret(text.utf8))
        }
    }
}

/// Times as the interfaces write them, each in its own way.
enum Moment {
    /// A moment as devices write it, such as `2024-10-11T09:15:02Z`, with or without a fraction.
    static func date(_ text: String?) -> Date? {
        guard let text else { return nil }
        let precise = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: precise))
    }

    private static func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Such as `2018-07-02T14:43:13+0000`.
    static func operation(_ milliseconds: Int64) -> String {
        // The style rounds, the servers cut.
        let whole = milliseconds / 1000 * 1000
        return String(date(whole).formatted(.iso8601).dropLast()) + "+0000"
    }

    /// Such as `2022-08-25T22:34:58.702+00:00`.
    static func message(_ milliseconds: Int64) -> String {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // Half a millisecond more, as binary fractions may lie below the decimal one.
        let text = (date(milliseconds) + 0.0001).formatted(style)
        return String(text.dropLast()) + "+00:00"
    }
}

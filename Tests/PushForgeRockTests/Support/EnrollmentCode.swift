import Foundation
import IndependentEncodings

/// An enrollment code as AM writes it, for tests to bend.
struct EnrollmentCode {
    var scheme = "pushauth"
    var host = "push"
    var label = "Example%20Bank:jane.doe@example.com"
    var parameters: [(name: String, value: String)] = [
        ("l", base64url("amlbcookie=03")), ("issuer", base64url("Example Bank")),
        ("m", WorkedExample.registrationID), ("s", base64url(WorkedExample.secret)),
        ("c", base64url(WorkedExample.registrationChallenge)),
        ("r", base64url(WorkedExample.registration)),
        ("a", base64url(WorkedExample.authentication)), ("uid", base64url("jane")),
        ("pid", base64url(WorkedExample.profileID)), ("b", "032b75"),
        ("image", base64url("https://am.example.com/logo.png")),
    ]

    var text: String {
        let query = parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        return "\(scheme)://\(host)/\(label)?\(query)"
    }

    /// The code with a parameter changed or added; `nil` takes it away.
    func with(_ name: String, _ value: String?) -> EnrollmentCode {
        var copy = self
        guard let value else {
            copy.parameters.removeAll { $0.name == name }
            return copy
        }
        if let index = copy.parameters.firstIndex(where: { $0.name == name }) {
            copy.parameters[index].value = value
        } else {
            copy.parameters.append((name, value))
        }
        return copy
    }

    func with(label: String) -> EnrollmentCode {
        var copy = self
        copy.label = label
        return copy
    }

    func with(scheme: String, host: String) -> EnrollmentCode {
        var copy = self
        (copy.scheme, copy.host) = (scheme, host)
        return copy
    }

    /// The code with another order of parameters.
    var reversed: EnrollmentCode {
        var copy = self
        copy.parameters.reverse()
        return copy
    }

    /// A combined code, whose `image` is a raw URL.
    static func combined(policies: String? = nil) -> EnrollmentCode {
        EnrollmentCode().with(scheme: "mfauth", host: "totp")
            .with("image", "https://am.example.com/logo.png")
            .with("secret", "6X3YPUD2QD67ZG2XE2ACDL2QHUQIRJ6S").with("period", "30")
            .with("digits", "6").with("oid", base64url(WorkedExample.codeResourceID))
            .with("policies", policies.map { base64url($0) })
    }
}

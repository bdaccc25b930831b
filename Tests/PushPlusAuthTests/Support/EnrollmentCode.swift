import PushCore

/// An enrollment code as the login page shows it, for tests to bend. Values are written as they
/// stand in the code, so escaped.
struct EnrollmentCode: Sendable {
    var scheme = "otpauth"
    var kind = "push"
    var label = "Acme%20Bank:ada%40example.com"
    var parameters: [(name: String, value: String)] = [
        ("issuer", "Acme%20Bank"), ("secret", WorkedExample.secret), ("algorithm", "SHA256"),
        ("digits", "6"), ("period", "30"),
        ("context_token", escaped(WorkedExample.enrollmentToken)),
        ("enrollment_url", escaped(WorkedExample.enroll)),
    ]

    static let names = [
        "issuer", "secret", "algorithm", "digits", "period", "context_token", "enrollment_url",
    ]

    var text: String {
        let query = parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        return "\(scheme)://\(kind)/\(label)?\(query)"
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

    /// The code with a parameter twice.
    func adding(_ name: String, _ value: String) -> EnrollmentCode {
        var copy = self
        copy.parameters.append((name, value))
        return copy
    }

    func with(label: String) -> EnrollmentCode {
        var copy = self
        copy.label = label
        return copy
    }

    /// A code for another account of the same tenant.
    static func account(_ name: String) -> EnrollmentCode {
        EnrollmentCode().with(label: "Acme%20Bank:\(escaped(name))")
    }

    /// A code of another tenant.
    static func at(_ enrollmentURL: String) -> EnrollmentCode {
        EnrollmentCode().with("enrollment_url", escaped(enrollmentURL))
    }
}

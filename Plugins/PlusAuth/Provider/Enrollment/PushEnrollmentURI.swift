public import PushCore
import PushJOSE

/// What PlusAuth writes into its enrollment QR code: `otpauth://push/…`.
///
/// It is a Key URI with a type of its own, so authenticators that only make codes refuse it.
/// Parsing sends nothing.
public struct PushEnrollmentURI: Sendable {
    /// `issuer`, or else the label's first half. Not verified: show it with the host.
    public let issuer: String?

    /// The label after its first colon. Not verified.
    public let account: String

    /// Whether `issuer` and the label name two issuers; then ``issuer`` is the parameter's.
    public let hasConflictingIssuer: Bool

    /// `secret`: the key of the one-time codes.
    public let secret: Secret

    /// `algorithm` of the one-time codes: `SHA1`, `SHA256` or `SHA512`.
    public let algorithm: String

    /// `digits` of a one-time code: 6 to 8; 6 if absent.
    public let digits: Int

    /// `period` of a one-time code, in seconds: 15 to 300; 30 if absent.
    public let period: Int

    /// `context_token`: the bearer token of the enrollment request, opaque.
    public let contextToken: Secret

    /// `enrollment_url`: where to enroll. Its origin is the one that answers may go to.
    public let enrollmentURL: Endpoint

    /// Whether `algorithm` was absent, so that ``algorithm`` is the Key URI format's default,
    /// SHA1. UNCONFIRMED for PlusAuth, which always writes it.
    public let isAlgorithmAssumed: Bool

    /// Reads the text of an enrollment code.
    ///
    /// It is `nil` if the text isn't `otpauth://push`: then it isn't PlusAuth's.
    ///
    /// - Parameters:
    ///   - text: The text, at most 4 KiB.
    ///   - allowsLocalHosts: Whether `enrollment_url` may name an IP address or `localhost`.
    /// - Throws: `PushError` with the code `invalidInvitation`; the reason names the parameter.
    public init?(_ text: String, allowsLocalHosts: Bool = false) throws(PushError) {
        guard let parameters = try KeyURIParameters(text) else { return nil }
        let label = try parameters.label
        account = label.account
        issuer = parameters.issuer ?? label.issuer
        hasConflictingIssuer =
            label.issuer != nil && parameters.issuer != nil && label.issuer != parameters.issuer
        secret = try parameters.secret
        isAlgorithmAssumed = parameters["algorithm"] == nil
        algorithm = try parameters.algorithm
        digits = try parameters.number("digits", in: 6...8, default: 6)
        period = try parameters.number("period", in: 15...300, default: 30)
        contextToken = try parameters.contextToken
        enrollmentURL = try parameters.enrollmentURL(allowsLocalHosts: allowsLocalHosts)
    }
}

/// The parts of an enrollment code, before their meaning is checked.
struct KeyURIParameters {
    /// The parameters that have a meaning here, each at most once, percent-decoded once. A plus is a
    /// plus, except in `issuer`, which form encoders write.
    private let values: [String: String]
    private let encodedLabel: Substring

    private static let maximumLength = 4096
    private static let names: Set = [
        "issuer", "secret", "algorithm", "digits", "period", "context_token", "enrollment_url",
    ]

    /// Splits a text; `nil` if it isn't `otpauth://push`.
    init?(_ text: String) throws(PushError) {
        let (scheme, rest) = text.start(before: "#").cut(at: "://")
        guard let rest, scheme.asciiWord == "otpauth" else { return nil }
        let (location, query) = rest.cut(at: "?")
        let (type, label) = location.cut(at: "/")
        guard type.asciiWord == "push" else { return nil }
        guard text.utf8.count <= Self.maximumLength else {
            throw PushError(.invalidInvitation, "The enrollment code is too long.")
        }
        encodedLabel = label ?? ""
        var values: [String: String] = [:]
        for pair in (query ?? "").parts(at: "&") {
            let (name, rest) = pair.cut(at: "=")
            guard let known = PercentText.decoded(name), known.utf8.allSatisfy({ $0 < 0x80 }),
                Self.names.contains(known)
            else { continue }
            let encoded = rest ?? ""
            let value =
                known == "issuer"
                ? PercentText.decoded(encoded, plusIsSpace: true) : PercentText.decoded(encoded)
            guard let value else { throw Self.invalid(known, "is not percent-encoded UTF-8") }
            guard values.updateValue(value, forKey: known) == nil else {
                throw Self.invalid(known, "appears twice")
            }
        }
        self.values = values
    }

    subscript(name: String) -> String? { values[name] }

    static func invalid(_ name: String, _ problem: String) -> PushError {
        PushError(.invalidInvitation, "The parameter \"\(name)\" \(problem).")
    }
}

// MARK: Meanings

extension KeyURIParameters {
    var issuer: String? {
        KeyURILabel.name(values["issuer"])
    }

    /// The label's halves, parted by its first colon.
    var label: (issuer: String?, account: String) {
        get throws(PushError) {
            guard let label = PercentText.decoded(encodedLabel) else {
                throw Self.invalid("label", "is not percent-encoded UTF-8")
            }
            let halves = KeyURILabel(label)
            guard !halves.account.isEmpty else { throw Self.invalid("label", "names no account") }
            return (halves.issuer, halves.account)
        }
    }

    /// Base32 as people write it: in groups, in any case, padded or not, made up by hand.
    var secret: Secret {
        get throws(PushError) {
            var digits = try required("secret").utf8.filter {
                $0 != 0x20 && $0 != UInt8(ascii: "-")
            }
            while digits.last == UInt8(ascii: "=") { digits.removeLast() }
            let text = String(decoding: digits, as: UTF8.self)
            guard let secret = try? Base32.secret(from: text, as: .anyTrailingBits),
                secret.count > 0
            else { throw Self.invalid("secret", "is not Base32") }
            return secret
        }
    }

    var algorithm: String {
        get throws(PushError) {
            let name = (values["algorithm"] ?? "SHA1").uppercased()
            guard OTPAlgorithm(rawValue: name) != nil else {
                throw Self.invalid("algorithm", "isn't SHA1, SHA256 or SHA512")
            }
            return name
        }
    }

    /// What goes into a header: visible ASCII.
    var contextToken: Secret {
        get throws(PushError) {
            let token = try required("context_token")
            guard token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
                throw Self.invalid("context_token", "can't stand in a header")
            }
            return Secret(copying: token)
        }
    }

    func enrollmentURL(allowsLocalHosts: Bool) throws(PushError) -> Endpoint {
        guard let endpoint = try? Endpoint(try required("enrollment_url")) else {
            throw Self.invalid("enrollment_url", "is not a URL without user and fragment")
        }
        guard endpoint.isSecure else { throw Self.invalid("enrollment_url", "is not https") }
        guard allowsLocalHosts || !endpoint.isAddressOrLocalhost else {
            throw Self.invalid("enrollment_url", "names an IP address or localhost")
        }
        return endpoint
    }

    func number(
        _ name: String, in range: ClosedRange<Int>, default value: Int
    ) throws(PushError) -> Int {
        guard let text = values[name] else { return value }
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(text),
            range.contains(number)
        else {
            throw Self.invalid(name, "is not \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func required(_ name: String) throws(PushError) -> String {
        guard let value = values[name], !value.isEmpty else {
            throw Self.invalid(name, "is missing")
        }
        return value
    }
}

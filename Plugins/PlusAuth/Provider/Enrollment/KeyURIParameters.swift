import PushCore
import PushJOSE

/// The parts of an enrollment code, before their meaning is checked.
struct KeyURIParameters {
    /// The parameters that have a meaning here, each at most once, percent-decoded once. A plus is a
    /// plus, except in `issuer`, which form encoders write.
    private let values: [String: String]
    private let encodedLabel: Substring

    private static let greatestLength = 4096
    private static let names: Set = [
        "issuer", "secret", "algorithm", "digits", "period", "context_token", "enrollment_url",
    ]

    /// Splits a text; `nil` if it isn't `otpauth://push`.
    init?(_ text: String) throws(PushError) {
        guard let separator = text.firstRange(of: "://"),
            text[..<separator.lowerBound].lowercased() == "otpauth"
        else { return nil }
        let rest = text[separator.upperBound...].prefix { $0 != "#" }
        let location = rest.prefix { $0 != "?" }
        let type = location.prefix { $0 != "/" }
        guard type.lowercased() == "push" else { return nil }
        guard text.utf8.count <= Self.greatestLength else {
            throw PushError(.invalidInvitation, "The enrollment code is too long.")
        }
        encodedLabel = location.dropFirst(type.count + 1)
        var values: [String: String] = [:]
        for pair in rest.dropFirst(location.count + 1).split(separator: "&") {
            let name = pair.prefix { $0 != "=" }
            guard let known = PercentText.decoded(name), Self.names.contains(known) else {
                continue
            }
            let encoded = pair.dropFirst(name.count + 1)
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
        values["issuer"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The label's halves, parted by its first colon.
    var label: (issuer: String?, account: String) {
        get throws(PushError) {
            guard let label = PercentText.decoded(encodedLabel) else {
                throw Self.invalid("label", "is not percent-encoded UTF-8")
            }
            let colon = label.firstIndex(of: ":")
            let issuer = colon.map { label[..<$0] } ?? ""
            let account = colon.map { label[label.index(after: $0)...] } ?? label[...]
            let trimmed = account.drop { $0 == " " }
            guard !trimmed.isEmpty else { throw Self.invalid("label", "names no account") }
            return (issuer.isEmpty ? nil : String(issuer), String(trimmed))
        }
    }

    /// Base32 as people write it: in groups, in any case, padded or not, made up by hand.
    var secret: Secret {
        get throws(PushError) {
            let digits = try required("secret").filter { $0 != " " && $0 != "-" }
            let padding = digits.reversed().prefix { $0 == "=" }.count
            guard
                let secret = try? Base32.secret(
                    from: digits.dropLast(padding), as: .anyTrailingBits), secret.count > 0
            else { throw Self.invalid("secret", "is not Base32") }
            return secret
        }
    }

    var algorithm: String {
        get throws(PushError) {
            let name = (values["algorithm"] ?? "SHA1").uppercased()
            guard OTPAlgorithm(rawValue: name) != nil else {
                throw Self.invalid("algorithm", "is none of SHA1, SHA256 and SHA512")
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
            return Secret(Array(token.utf8))
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

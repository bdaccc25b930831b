import PushCore
import PushJOSE

/// A code that enrolls: `otpauth://pipush/<label>?…`, or the same with the scheme `pia`.
struct PipushInvitation {
    /// The account, for people: anybody's words.
    let label: String

    /// Who asks, for people: anybody's words.
    let issuer: String?

    /// Where all requests go, verbatim.
    let url: Endpoint

    let serial: String

    /// What the code is spent for.
    let credential: Secret

    /// How long after the scan it may be used.
    let lifetime: Duration

    /// Whether the token takes no device token; `nil` if the code doesn't say.
    let isPollOnly: Bool?

    let unlock: AppUnlock?

    private static let longest = 4096
    private static let usualLifetime = 10

    /// Reads a code.
    ///
    /// - Returns: `nil` if it's somebody else's.
    /// - Throws: `PushError` with the code `invalidInvitation`; the reason names the parameter.
    init?(_ text: String, for configuration: PrivacyIDEA.Configuration) throws(PushError) {
        guard let parts = Self.split(text) else { return nil }
        guard text.utf8.count <= Self.longest else {
            throw PushError(.invalidInvitation, "The code is longer than \(Self.longest) bytes.")
        }
        guard let label = PercentText.decoded(parts.label) else {
            throw PushError(.invalidInvitation, "The label isn't percent-encoded UTF-8.")
        }
        let parameters = try Parameters(parts.query)
        guard try parameters.required("v") == "1" else {
            throw Self.invalid("v", "names a version other than 1")
        }
        self.label = label
        issuer = KeyURILabel.name(parameters["issuer"])
        url = try Self.url(try parameters.required("url"), configuration)
        serial = try parameters.required("serial")
        guard SerialText.isValid(serial) else {
            throw Self.invalid("serial", "isn't up to 64 letters, digits, - and _")
        }
        credential = Secret(Array(try parameters.required("enrollment_credential").utf8))
        lifetime = .seconds(60 * (try Self.minutes(parameters["ttl"])))
        isPollOnly = try parameters.flag("poll_only")
        guard try parameters.flag("sslverify") ?? true || configuration.enrollsDespiteSSLVerifyOff
        else {
            throw Self.invalid("sslverify", "asks not to verify TLS, which this client always does")
        }
        let word = parameters["app_force_unlock"]
        let isLocked = try parameters.flag("pin") ?? false
        unlock = word.map { AppUnlock(word: $0) } ?? (isLocked ? .any : nil)
    }

    static func invalid(_ name: String, _ problem: String) -> PushError {
        PushError(.invalidInvitation, "The parameter \"\(name)\" \(problem).")
    }

    /// The label and the query of a code; `nil` if it's another scheme's or another host's.
    private static func split(_ text: String) -> (label: Substring, query: Substring)? {
        let (location, query) = text.start(before: "#").cut(at: "?")
        let (scheme, rest) = location.cut(at: "://")
        guard let (host, label) = rest?.cut(at: "/"),
            ["otpauth", "pia"].contains(scheme.asciiWord), host.asciiWord == "pipush"
        else { return nil }
        return (label ?? "", query ?? "")
    }

    /// The server's address. Without a scheme it's an https one.
    private static func url(
        _ text: String, _ configuration: PrivacyIDEA.Configuration
    ) throws(PushError) -> Endpoint {
        guard let endpoint = try? Endpoint(text.contains("://") ? text : "https://\(text)") else {
            throw invalid("url", "isn't an https URL without user and fragment")
        }
        guard endpoint.isSecure || configuration.allowsPlainHTTP else {
            throw invalid("url", "isn't https")
        }
        guard configuration.allows(endpoint) else {
            throw invalid("url", "leads to an address, not to a named host")
        }
        guard configuration.allowedHosts?.contains(endpoint.host) != false else {
            throw invalid("url", "leads to a host that the app doesn't allow")
        }
        return endpoint
    }

    private static func minutes(_ text: String?) throws(PushError) -> Int {
        guard let text else { return usualLifetime }
        guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let minutes = Int(text), minutes > 0
        else { throw invalid("ttl", "isn't a number of minutes above 0") }
        return minutes
    }

    /// The parameters of a code, each once, percent-decoded once. A plus sign stays one.
    private struct Parameters {
        private var values: [String: String] = [:]

        init(_ query: Substring) throws(PushError) {
            for pair in query.parts(at: "&") where !pair.isEmpty {
                let (encoded, rest) = pair.cut(at: "=")
                guard let name = PercentText.decoded(encoded),
                    let value = PercentText.decoded(rest ?? "")
                else {
                    throw PushError(
                        .invalidInvitation, "A parameter isn't percent-encoded UTF-8.")
                }
                guard name.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
                guard values.updateValue(value, forKey: name) == nil else {
                    throw invalid(Self.known.contains(name) ? name : "…", "stands there twice")
                }
            }
        }

        /// What an error may repeat: other names are whatever the code says.
        private static let known: Set<String> = [
            "url", "serial", "enrollment_credential", "v", "issuer", "ttl", "poll_only",
            "sslverify", "pin", "app_force_unlock",
        ]

        subscript(name: String) -> String? { values[name] }

        func required(_ name: String) throws(PushError) -> String {
            guard let value = values[name], !value.isEmpty else {
                throw invalid(name, "is missing")
            }
            return value
        }

        /// A parameter that is `True` or `False`, `1` or `0`, in any case; `nil` if it isn't there.
        func flag(_ name: String) throws(PushError) -> Bool? {
            guard let value = values[name] else { return nil }
            switch value.lowercased() {
            case "1", "true": return true
            case "0", "false": return false
            default: throw invalid(name, "is neither true nor false")
            }
        }
    }
}

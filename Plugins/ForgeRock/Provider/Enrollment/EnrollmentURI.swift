public import PushCore

/// What AM writes into its enrollment QR code: `pushauth://…`, or `mfauth://…` for push and one-time
/// codes together.
///
/// Parsing sends nothing. A code for one-time codes alone is an ``OneTimeCodeURI``.
public struct EnrollmentURI: Sendable {
    /// The issuer; empty if the code names none. Not verified.
    public let issuer: String

    /// The account; empty if the code names none. Not verified, and not always AM's user name.
    public let account: String

    /// `m`: the identifier of the registration message, opaque.
    public let messageID: String

    /// `s`: the secret that AM and this device share from now on.
    public let sharedSecret: Secret

    /// `c`: the registration challenge.
    public let challenge: Secret

    /// `r`: where to register, verbatim.
    public let registrationEndpoint: Endpoint

    /// `a`: where to send answers, verbatim.
    public let authenticationEndpoint: Endpoint

    /// `l`: the load-balancer cookie, `name=value`.
    public let cookie: String?

    /// `uid`: AM's user name, from AM 8.0.1.
    public let user: String?

    /// `pid`: AM's identifier of the push device profile, from AM 8.0.1.
    public let profileID: String?

    /// `b`: the background color, six hexadecimal digits.
    public let backgroundColor: String?

    /// `image`: the logo.
    public let image: Endpoint?

    /// `policies`, by name; empty if there are none.
    public let policies: JSON.Object

    /// Whether `policies` was there, but couldn't be read.
    public let hasUnreadablePolicies: Bool

    /// The one-time-code half of an `mfauth` code.
    public let oneTimeCode: OneTimeCodeParameters?

    /// Reads the text of an enrollment code.
    ///
    /// - Returns: `nil` if the text has another scheme: it isn't AM's.
    /// - Throws: `PushError` with the code `invalidInvitation`; the reason names the parameter.
    public init?(_ text: String) throws(PushError) {
        guard let parameters = try EnrollmentURIParameters(text), parameters.scheme != .otpauth
        else { return nil }
        issuer = parameters.issuer
        account = parameters.account
        messageID = try parameters.required("m")
        sharedSecret = try parameters.requiredSecret("s")
        challenge = try parameters.requiredSecret("c")
        registrationEndpoint = try parameters.requiredEndpoint("r")
        authenticationEndpoint = try parameters.requiredEndpoint("a")
        cookie = try parameters.cookie("l")
        user = parameters.user
        profileID = parameters.decoded("pid")
        backgroundColor = parameters.color("b")
        image = parameters.image
        guard ["1", nil].contains(parameters["version"]) else {
            throw EnrollmentURIParameters.invalid("version", "is not 1")
        }
        let policies = parameters.policies
        self.policies = policies ?? [:]
        hasUnreadablePolicies = policies == nil && parameters["policies"] != nil
        oneTimeCode =
            parameters.scheme == .mfauth ? try OneTimeCodeParameters(parameters) : nil
    }
}

/// Which hosts an enrollment code may lead to. A code proves nothing: its maker chose them.
struct AllowedHosts {
    private let names: Set<String>
    private let allowsLocal: Bool

    init(_ names: Set<String>, allowsLocal: Bool) {
        self.names = Set(names.map(Self.plain))
        self.allowsLocal = allowsLocal
    }

    /// Refuses a code that leads elsewhere.
    func check(
        _ registration: Endpoint, _ authentication: Endpoint
    ) throws(PushError) {
        try check(registration, "r")
        try check(authentication, "a")
    }

    /// The same for a mechanism that was enrolled elsewhere, whose secrets mustn't be told to a server
    /// without TLS.
    func checkStored(
        _ registration: Endpoint, _ authentication: Endpoint
    ) throws(PushError) {
        try check(registration, authentication)
        for endpoint in [registration, authentication] {
            guard endpoint.isSecure || allowsLocal && endpoint.isAddressOrLocalhost else {
                throw PushError(.insecureRequest, "The mechanism's server is reached without TLS.")
            }
        }
    }

    private func check(_ endpoint: Endpoint, _ name: String) throws(PushError) {
        guard names.isEmpty else {
            if names.contains(Self.plain(endpoint.host)) { return }
            throw EnrollmentURIParameters.invalid(
                name, "leads to a host that the app doesn't allow")
        }
        guard allowsLocal || !endpoint.isAddressOrLocalhost else {
            throw EnrollmentURIParameters.invalid(
                name, "leads to an IP address or to localhost, not to a name")
        }
    }

    /// A host without what makes no difference: case, a dot at its end, and an address's brackets.
    private static func plain(_ host: String) -> String {
        var name = host.lowercased()[...]
        if name.hasSuffix(".") { name.removeLast() }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        return String(name)
    }
}

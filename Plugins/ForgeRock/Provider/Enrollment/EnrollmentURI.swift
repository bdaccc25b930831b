public import PushCore
import PushJOSE

/// What AM writes into its enrollment QR code: `pushauth://…`, or `mfauth://…` for push and one-time
/// codes together.
///
/// Parsing sends nothing. The one-time-code half isn't this plugin's; ``oneTimeCode`` hands it on
/// untouched.
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
        guard let parameters = try EnrollmentURIParameters(text) else { return nil }
        issuer = parameters.issuer
        account = parameters.account
        messageID = try parameters.required("m")
        sharedSecret = try parameters.requiredSecret("s")
        challenge = try parameters.requiredSecret("c")
        registrationEndpoint = try parameters.requiredEndpoint("r")
        authenticationEndpoint = try parameters.requiredEndpoint("a")
        cookie = try parameters.cookie("l")
        // An empty name counts as absent, as in pushes; a push may tell the real one.
        user = ["uid", "d"].lazy.compactMap(parameters.decoded).first { !$0.isEmpty }
        profileID = parameters.decoded("pid")
        backgroundColor = parameters.color("b")
        image = parameters.image
        guard ["1", nil].contains(parameters["version"]) else {
            throw EnrollmentURIParameters.invalid("version", "is not 1")
        }
        let policies = parameters.policies
        self.policies = policies ?? [:]
        hasUnreadablePolicies = policies == nil && parameters["policies"] != nil
        oneTimeCode = parameters.isCombined ? OneTimeCodeParameters(parameters) : nil
    }
}

/// The one-time-code half of an `mfauth` code, as AM wrote it, for an authenticator of such codes.
public struct OneTimeCodeParameters: Sendable {
    /// `totp` or `hotp`, in lower case.
    public let kind: String

    /// `secret`: Base32 text, padding possible.
    public let secret: Secret

    /// `algorithm`; absent for SHA-1.
    public let algorithm: String?

    /// `digits`.
    public let digits: String?

    /// `period`, in seconds.
    public let period: String?

    /// `counter`.
    public let counter: String?

    /// `oid`: AM's identifier of the one-time-code device profile.
    public let resourceID: String?

    init?(_ parameters: EnrollmentURIParameters) {
        guard let secret = parameters["secret"], parameters.host != "push" else { return nil }
        kind = parameters.host
        self.secret = Secret(copying: secret)
        algorithm = parameters["algorithm"]
        digits = parameters["digits"]
        period = parameters["period"]
        counter = parameters["counter"]
        resourceID = parameters.decoded("oid")
    }
}

/// Which hosts an enrollment code may lead to. A code proves nothing: its maker chose them.
struct AllowedHosts {
    private let names: Set<String>
    private let allowsLocal: Bool

    init(_ configuration: ForgeRock.Configuration) {
        names = Set(configuration.allowedHosts.map(Self.plain))
        allowsLocal = configuration.allowsLocalHosts
    }

    /// Refuses a code that leads elsewhere.
    func check(_ uri: EnrollmentURI) throws(PushError) {
        try check(uri.registrationEndpoint, "r")
        try check(uri.authenticationEndpoint, "a")
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

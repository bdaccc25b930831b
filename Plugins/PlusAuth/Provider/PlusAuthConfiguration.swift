/// What the app has chosen.
public struct PlusAuthConfiguration: Sendable {
    /// The algorithm of the key pair made at enrollment. The documentation names none; its
    /// types describe RSA alone, so that is the default.
    public var keyAlgorithm = PlusAuthKeyAlgorithm.rs256

    /// The hosts that may enroll this device, such as `tenant.plusauth.com`; `nil` for any,
    /// and then the app shows the offer's host for consent.
    public var allowedHosts: Set<String>?

    /// Origins beside the enrollment's that an answer may go to, such as a custom domain that
    /// the tenant got later: `https://host` or `https://host:port`, international names as
    /// A-labels. A text in another form matches no origin.
    public var resolveOrigins: Set<String> = []

    /// Whether a yes needs the user's presence. A push may be the only factor, and the device
    /// can't tell, so the default is yes. A denial never needs it, and one-time codes don't
    /// either: an app that shows them verifies its user itself.
    public var requiresUserVerification = true

    /// Tells the SIM cards; `nil` if the app can't.
    public var simIdentity: (any SIMIdentitySource)?

    /// What happens if an account is bound to its SIM cards, and they can't be told.
    public var simPolicy = PlusAuthSIMPolicy.enforceWhenAvailable

    /// Whether an answer has the documented claims alone, without `iat`, `exp` and `jti`.
    ///
    /// Only the bearer token beside such an answer binds it to its challenge.
    public var documentedClaimsOnly = false

    /// How long after `iat` a challenge may be answered at most; `nil` for as long as `exp`
    /// says, which is two hours in the documentation's sample.
    public var maxChallengeAge: Duration?

    /// Experimental: don't use it with a real tenant unless PlusAuth agrees. It sends the
    /// private half of one pair and the public half of another, so that the key that signs
    /// answers stays on the device. UNCONFIRMED: a server that compares the halves refuses it.
    public var splitKey = false

    /// Whether IP addresses and `localhost` may be enrollment and resolve hosts: for tests.
    public var allowsLocalHosts = false

    /// The `User-Agent` of requests, from which PlusAuth takes the device's vendor and model;
    /// `nil` for one made from the environment's device.
    public var userAgent: String?

    /// The word for the push service, `credentials.service`; `nil` for `fcm` or `apns` by the
    /// device token.
    public var service: String?

    /// Creates a configuration with the defaults.
    public init() {}
}

/// The algorithm of an account's key pair.
@nonexhaustive
public enum PlusAuthKeyAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// RSA of `RSAKeySize.smallest` bits, with PKCS#1 v1.5 and SHA-256 (RFC 7518 section 3.3).
    case rs256 = "RS256"
    /// P-256 with SHA-256 (RFC 7518 section 3.4). UNCONFIRMED: a server may refuse it (422).
    case es256 = "ES256"
}

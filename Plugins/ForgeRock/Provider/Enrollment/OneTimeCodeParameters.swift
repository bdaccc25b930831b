public import PushCore

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
        self.secret = Secret(Array(secret.utf8))
        algorithm = parameters["algorithm"]
        digits = parameters["digits"]
        period = parameters["period"]
        counter = parameters["counter"]
        resourceID = parameters.decoded("oid")
    }
}

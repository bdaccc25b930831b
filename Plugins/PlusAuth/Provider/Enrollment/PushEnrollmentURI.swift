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
    /// - Parameters:
    ///   - text: The text, at most 4 KiB.
    ///   - allowsLocalHosts: Whether `enrollment_url` may name an IP address or `localhost`.
    /// - Returns: `nil` if it isn't `otpauth://push`: it isn't PlusAuth's.
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

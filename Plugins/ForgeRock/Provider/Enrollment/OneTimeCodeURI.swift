public import PushCore

/// What enrolls one-time codes alone: `otpauth://totp/…` or `otpauth://hotp/…`, as AM and many others
/// write it.
///
/// Nothing of it says who made it, and nothing is sent.
public struct OneTimeCodeURI: Sendable {
    /// The issuer; empty if the code names none. Not verified.
    public let issuer: String

    /// The account; empty if the code names none. Not verified.
    public let account: String

    /// `uid`: AM's user name, from AM 8.0.1.
    public let user: String?

    /// Whether the code has a parameter that AM writes and other makers don't: `b`, `uid` or `oid`.
    public let isMarked: Bool

    /// What the codes are made with.
    public let parameters: OneTimeCodeParameters

    /// Reads the text of a code.
    ///
    /// - Returns: `nil` if the text has another scheme, or another type: it isn't one of these codes.
    /// - Throws: `PushError` with the code `invalidInvitation`; the reason names the parameter.
    public init?(_ text: String) throws(PushError) {
        guard let read = try EnrollmentURIParameters(text), read.scheme == .otpauth else {
            return nil
        }
        guard let parameters = try OneTimeCodeParameters(read) else {
            throw EnrollmentURIParameters.invalid("secret", "is missing")
        }
        issuer = read.issuer
        account = read.account
        user = read.user
        isMarked = read["b"] != nil || read["uid"] != nil || read["oid"] != nil
        self.parameters = parameters
    }
}

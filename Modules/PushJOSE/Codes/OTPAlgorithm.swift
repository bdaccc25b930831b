/// The hash of a one-time password (RFC 6238 section 1.2).
package enum OTPAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// HMAC with SHA-1, the only one RFC 4226 knows and the default everywhere.
    case sha1 = "SHA1"
    /// HMAC with SHA-256.
    case sha256 = "SHA256"
    /// HMAC with SHA-512.
    case sha512 = "SHA512"
}

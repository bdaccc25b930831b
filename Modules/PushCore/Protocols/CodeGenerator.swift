#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Makes one-time codes, if the vendor has them.
public protocol CodeGenerator: Sendable {
    /// How the user must be verified before a code is made: alternatives of factors, `[]` for
    /// none, which is the default.
    ///
    /// - Throws: ``PushError`` with the code `unknownEnrollment` if there is no such enrollment,
    ///   `malformed` or `storage` if its record can't be read.
    func verification(of account: Account) async throws(PushError) -> [[Factor]]

    /// The code that is valid now.
    ///
    /// - Parameters:
    ///   - account: The enrollment that the code proves.
    ///   - evidence: The user's proofs, if the vendor needs them.
    /// - Returns: The code, and until when it is valid.
    /// - Throws: ``PushError`` with the code `blocked` if the enrollment may make no code now,
    ///   `unknownEnrollment` if there is no such enrollment, `verificationFailed` if a proof is
    ///   missing, `malformed` or `storage` if its record can't be read.
    func code(
        of account: Account, evidence: [Evidence]
    ) async throws(PushError) -> OneTimeCode
}

extension CodeGenerator {
    /// No verification.
    ///
    /// - Throws: Nothing.
    public func verification(
        of account: Account
    ) async throws(PushError) -> [[Factor]] {
        []
    }
}

/// A code that the user types when signing in, instead of answering a push.
public struct OneTimeCode: Sendable {
    /// The code in UTF-8, with its leading zeros.
    public let text: Secret

    /// When the next code replaces it, by this device's clock; `nil` if it doesn't depend on time.
    public let expiry: Date?

    /// Creates a code.
    ///
    /// - Parameters:
    ///   - text: The code in UTF-8, with its leading zeros.
    ///   - expiry: When the next code replaces it, by this device's clock.
    public init(_ text: Secret, expiry: Date? = nil) {
        self.text = text
        self.expiry = expiry
    }
}

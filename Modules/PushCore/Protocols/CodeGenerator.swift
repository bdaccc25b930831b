#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Makes one-time codes, for vendors that have them.
public protocol CodeGenerator: Sendable {
    /// How the user must be verified before a code is made: alternatives of factors, `[]` for
    /// none, which is the default.
    ///
    /// - Throws: ``PushError`` with the code `unknownEnrollment` if there is no such enrollment,
    ///   `malformed` or `storage` if its record can't be read.
    func verification(for enrollment: Enrollment.ID) async throws(PushError) -> [[Factor]]

    /// The code that is valid now.
    ///
    /// - Parameters:
    ///   - enrollment: The enrollment it proves.
    ///   - evidence: The user's proofs, where the vendor needs them.
    /// - Returns: The code, and until when it is valid.
    /// - Throws: ``PushError`` with the code `blocked` if the enrollment may make none now,
    ///   `unknownEnrollment` if there is no such enrollment, `verificationFailed` if a proof is
    ///   missing, `malformed` or `storage` if its record can't be read.
    func code(
        for enrollment: Enrollment.ID, evidence: [Evidence]
    ) async throws(PushError) -> OneTimeCode
}

extension CodeGenerator {
    /// Nobody is asked.
    ///
    /// - Throws: Nothing.
    public func verification(
        for enrollment: Enrollment.ID
    ) async throws(PushError) -> [[Factor]] {
        []
    }
}

/// A code the user types where they sign in, instead of answering a push.
public struct OneTimeCode: Sendable {
    /// The code in UTF-8, with its leading zeros.
    public let text: Secret

    /// When the next code takes its place, by this device's clock; `nil` if time doesn't end it.
    public let expiry: Date?

    /// Creates a code.
    ///
    /// - Parameters:
    ///   - text: The code in UTF-8, with its leading zeros.
    ///   - expiry: When the next code takes its place, by this device's clock.
    public init(_ text: Secret, expiry: Date? = nil) {
        self.text = text
        self.expiry = expiry
    }
}

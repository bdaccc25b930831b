#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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

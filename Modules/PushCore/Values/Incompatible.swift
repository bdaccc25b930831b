#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A genuine message that is newer than this version understands.
public struct Incompatible: Hashable, Sendable {
    /// The challenge it is about.
    public let id: Challenge.ID

    /// The vendor's name for what isn't understood.
    public let kind: String

    /// The version that would understand it, if the vendor says so.
    public let minimumVersion: String?

    /// Whether the vendor allows the app to drop it silently.
    public let isIgnorable: Bool

    /// Whether it takes the challenge back.
    public let withdraws: Bool

    /// The moment after which the challenge is over, by the vendor's clock; `nil` if it isn't known.
    public let expiry: Date?

    /// Creates a value; its texts are made safe to show.
    public init(
        _ id: Challenge.ID, kind: String, minimumVersion: String? = nil,
        isIgnorable: Bool = false, withdraws: Bool = false, expiry: Date? = nil
    ) {
        self.id = id
        self.kind = DisplayText.sanitized(kind, .label)
        self.minimumVersion = DisplayText.sanitized(minimumVersion, .label)
        self.isIgnorable = isIgnorable
        self.withdraws = withdraws
        self.expiry = expiry
    }
}

public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A proximity code that the user took from the other screen, which proves that both are in one
/// place.
///
/// A code that came by a link or a QR code that an authenticator received goes along by itself.
/// Give one to `resolve` as its `extras`, alone or in a ``PowerAuthApproval``, if the app got it
/// another way.
public struct PowerAuthProximityCheck: Sendable {
    /// How a code came.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// By the camera.
        case qrCode = "QR_CODE"
        /// By a link that opened the app.
        case deeplink = "DEEPLINK"
    }

    /// The time-based code, as text.
    public let otp: Secret

    /// How it came.
    public let type: Kind

    /// When it came, by this device's clock; the server gets it by its own.
    public let timestampReceived: Date

    /// Creates a check.
    public init(otp: Secret, type: Kind, timestampReceived: Date) {
        self.otp = otp
        self.type = type
        self.timestampReceived = timestampReceived
    }
}

public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What an approval needs beside the user's yes: give it to `resolve` as its `extras`.
public struct PowerAuthApproval: Sendable {
    /// The proximity code, if the app got one other than through the authenticator.
    public var proximityCheck: PowerAuthProximityCheck?

    /// Whether the user is on a phone call, in which a stranger may tell them what to do; `nil` if
    /// the app doesn't know.
    ///
    /// An operation with ``PowerAuthOperation/UI/blockApprovalOnCall``, or an offline one with the
    /// flag ``PowerAuthOfflineOperation/Flags/blockApprovalOnCall``, is approved only if this is
    /// `false`: this package can't tell by itself.
    public var isOnCall: Bool?

    /// Creates it.
    public init(proximityCheck: PowerAuthProximityCheck? = nil, isOnCall: Bool? = nil) {
        self.proximityCheck = proximityCheck
        self.isOnCall = isOnCall
    }
}

/// A proximity code that the user took from the other screen, which proves that both are in one
/// place.
///
/// If the authenticator received the code, by a link or a QR code, it is sent without more. If the
/// app got the code another way, give it to `resolve` as its `extras`, alone or in a
/// ``PowerAuthApproval``.
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

    /// When it came, by this device's clock. The server gets the time by its own clock.
    public let timestampReceived: Date

    /// Creates a check.
    public init(otp: Secret, type: Kind, timestampReceived: Date) {
        self.otp = otp
        self.type = type
        self.timestampReceived = timestampReceived
    }
}

/// Why an operation is rejected, under the documented names.
///
/// For a reason that the core has no word for, deny with ``denyReason``.
@nonexhaustive
public enum PowerAuthRejectionReason: Hashable, Sendable {
    /// `UNKNOWN`: the user doesn't say.
    case unknown
    /// `INCORRECT_DATA`: what the operation says is wrong.
    case incorrectData
    /// `UNEXPECTED_OPERATION`: the user didn't ask for it.
    case unexpectedOperation
    /// `PREAPPROVAL`: the user turned back on the screen before the approval. Known from a change
    /// log of the vendor's alone.
    case preapproval
    /// Any other text; servers take each.
    case custom(String)

    /// The reason as it is sent.
    public var text: String {
        switch self {
        case .unknown: "UNKNOWN"
        case .incorrectData: "INCORRECT_DATA"
        case .unexpectedOperation: "UNEXPECTED_OPERATION"
        case .preapproval: "PREAPPROVAL"
        case .custom(let text): text
        }
    }

    /// The reason as the core takes it.
    public var denyReason: DenyReason {
        switch self {
        case .unknown: .ignore
        case .unexpectedOperation: .unexpected
        case .incorrectData, .preapproval, .custom: .custom(text)
        }
    }

    /// Reads the core's reason. What the user takes for an attack is an operation nobody asked for.
    public init(_ reason: DenyReason) {
        switch reason {
        case .unexpected, .fraud: self = .unexpectedOperation
        case .custom(let text) where !text.isEmpty: self = .custom(text)
        case .ignore, .custom: self = .unknown
        }
    }
}

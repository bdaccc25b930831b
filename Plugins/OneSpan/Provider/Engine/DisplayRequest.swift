#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A verified request that the user must decide.
public struct DisplayRequest: Hashable, Sendable {
    /// The device it was made for, as ``ActivatedDevice/deviceID`` has it.
    public let deviceID: String

    /// The server's identifier of the request.
    public let requestID: String

    /// The session across the customer's website and this device; `nil` if the engine can't tell.
    public var sessionID: String?

    /// What the user sees.
    public let content: DisplayContent

    /// Why the user can only reject it: what an approval would stand for can't all be shown, or
    /// isn't understood. `nil` if they may approve it.
    ///
    /// An engine says what it found; the plugin adds what can't be shown, whatever the engine.
    public var problem: DisplayProblem?

    /// How the server wants an approval authenticated.
    public let method: AuthenticationMethod

    /// Whether this device can answer by biometry, if the server asks for it. Otherwise the password
    /// stands in (OneSpan, "Authentication methods").
    public var canUseBiometry = true

    /// When it was made and when it ends, by the server's clock; `nil` if the engine can't tell.
    ///
    /// Its length, measured from arrival, is the user's time: the device's wall clock decides
    /// nothing.
    public let validity: Range<Date>?

    /// Creates a request.
    public init(
        deviceID: String, requestID: String, content: DisplayContent,
        method: AuthenticationMethod, validity: Range<Date>? = nil
    ) {
        self.deviceID = deviceID
        self.requestID = requestID
        self.content = content
        self.method = method
        self.validity = validity
    }
}

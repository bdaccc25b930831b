public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A push on its way to a device.
public struct SimulatedPush: Sendable {
    /// Where it goes.
    public let deviceToken: DeviceToken

    /// What the device gets, as JSON: an APNs payload, or the data of a Firebase message.
    public let payload: Data

    /// Creates a push.
    public init(to deviceToken: DeviceToken, payload: Data) {
        self.deviceToken = deviceToken
        self.payload = payload
    }

    /// The push as an app hands it to the SDK.
    public func message() throws(PushError) -> PushMessage {
        try PushMessage(json: payload)
    }
}

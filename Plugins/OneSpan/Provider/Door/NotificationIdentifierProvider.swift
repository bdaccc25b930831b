public import PushCore

/// Makes OneSpan Notification Identifiers: the registering half of OneSpan's Notification SDK.
public protocol NotificationIdentifierProvider: Sendable {
    /// The identifier of a device token. One that doesn't come within a minute is given up.
    ///
    /// - Throws: `PushError` if there is none for it now.
    func identifier(
        for deviceToken: DeviceToken
    ) async throws(PushError) -> NotificationIdentifier
}

public import PushCore

/// The OneSpan Notification Identifier: what the platform knows this app on this device by.
///
/// It abstracts Apple's and Google's tokens into one text, hexadecimal, of at most 2,064 characters
/// (OneSpan, "Notification SDK overview"). Nothing but its maker reads it.
public struct NotificationIdentifier: Hashable, Sendable {
    /// The longest identifier, in characters.
    package static let limit = 2_064

    /// Its characters.
    public let text: String

    /// Creates an identifier.
    ///
    /// - Throws: `PushError`: `invalidArgument` if it isn't 1 to 2,064 hexadecimal digits.
    public init(_ text: String) throws(PushError) {
        guard !text.isEmpty, text.utf8.count <= Self.limit,
            text.utf8.allSatisfy({ Hexadecimal.value(of: $0) != nil })
        else {
            throw PushError(.invalidArgument, "A notification identifier is hexadecimal.")
        }
        self.text = text
    }
}

/// Makes OneSpan Notification Identifiers: the registering half of OneSpan's Notification SDK.
public protocol NotificationIdentifierProvider: Sendable {
    /// The identifier of a device token. One that doesn't come within a minute is given up.
    ///
    /// - Throws: `PushError`: the adapter's own, such as `unreachable`, if there is none for it now.
    func identifier(
        for deviceToken: DeviceToken
    ) async throws(PushError) -> NotificationIdentifier
}

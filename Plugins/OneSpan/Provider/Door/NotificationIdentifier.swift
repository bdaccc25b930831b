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
            text.utf8.allSatisfy({ byte in
                switch byte {
                case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
                default: false
                }
            })
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

extension OneSpan {
    /// How long an identifier is waited for.
    private static let identifierPatience = Duration.seconds(60)

    /// The notification identifier of a device token. The wait for it ends, as
    /// an enrollment's turn may wait, too.
    ///
    /// - Throws: `PushError`: `unreachable` if there is none in time, or what the app's provider
    ///   throws.
    func identifier(
        for deviceToken: DeviceToken
    ) async throws(PushError) -> NotificationIdentifier {
        let identifiers = configuration.identifiers
        let (results, continuation) = AsyncStream.makeStream(
            of: Result<NotificationIdentifier, PushError>.self,
            bufferingPolicy: .bufferingOldest(1))
        let asking = Task {
            continuation.yield(
                await Result { () async throws(PushError) in
                    try await identifiers.identifier(for: deviceToken)
                })
            continuation.finish()
        }
        let deadline = Task { [clock = environment.clock] in
            await clock.sleep(for: Self.identifierPatience)
            continuation.finish()
        }
        defer {
            asking.cancel()
            deadline.cancel()
        }
        for await result in results { return try result.get() }
        guard !Task.isCancelled else {
            throw PushError(.cancelled, "The app gave up.")
        }
        throw PushError(
            .unreachable, "The notification identifier didn't come in time.")
    }
}

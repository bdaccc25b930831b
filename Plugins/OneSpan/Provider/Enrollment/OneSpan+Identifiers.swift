import PushCore

extension OneSpan {
    /// How long an identifier is waited for.
    private static let identifierPatience = Duration.seconds(60)

    /// The notification identifier of a device token. Nobody waits for one for ever: this may be
    /// asked for in an enrollment's turn.
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

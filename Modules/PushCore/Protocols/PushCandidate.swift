/// What a provider found in a message by its shape alone: nothing of it is proved.
///
/// It keeps what was read, and verifies itself, so no message is parsed twice.
public struct PushCandidate: Sendable {
    private let verify: @Sendable () async throws(PushError) -> PushEvent

    /// Creates a candidate.
    ///
    /// - Parameters:
    ///   - found: What the provider read, as a value of its own.
    ///   - verify: Verifies that value. It throws what ``verified()`` may throw.
    public init<Found: Sendable>(
        _ found: Found,
        verifiedBy verify: @escaping @Sendable (Found) async throws(PushError) -> PushEvent
    ) {
        self.verify = { () async throws(PushError) -> PushEvent in try await verify(found) }
    }

    /// Verifies what was found.
    ///
    /// - Throws: ``PushError`` if it can't be trusted. Nothing has been stored then.
    public func verified() async throws(PushError) -> PushEvent {
        try await verify()
    }
}

import PushCore

/// The turn of one activation: what runs in it has the channel to itself.
struct ActivationTurn: Sendable {
    let authenticator: PushAuthenticator
    let channel: PowerAuthChannel
    let enrollment: Enrollment.ID

    /// Waits for the turn, and runs a function in it.
    ///
    /// - Throws: What `body` throws.
    func callAsFunction<Value: Sendable>(
        _ body: @Sendable (PowerAuthChannel, Account) async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try await authenticator.turn(of: enrollment) {
            (account) async throws(PushError) -> Value in try await body(channel, account)
        }
    }
}

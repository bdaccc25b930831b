/// What came back for a command.
public struct RelayReply: Sendable {
    /// The reply, which goes to the engine.
    public let command: OrchestrationCommand

    /// What the server said beside it, if it answered with an error. Nobody authenticated it.
    public let error: TrustedDeviceError?

    /// Creates a reply.
    public init(_ command: OrchestrationCommand, error: TrustedDeviceError? = nil) {
        self.command = command
        self.error = error
    }
}

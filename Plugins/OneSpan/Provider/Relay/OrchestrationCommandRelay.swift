public import PushCore

/// The app's path to its customer application server, which hands commands on to the OneSpan
/// Trusted Identity platform.
///
/// OneSpan's SDK does no networking: it hands a command to the app and wants the reply back
/// ("Orchestration SDK overview"). ``HTTPCommandRelay`` is one that suits most servers.
public protocol OrchestrationCommandRelay: Sendable {
    /// Where commands go; `nil` if unknown. The time that its server tells counts for the enrollments.
    var endpoint: Endpoint? { get }

    /// Sends a command and waits for the reply.
    ///
    /// A command whose reply is lost is sent again with the same bytes.
    ///
    /// - Parameters:
    ///   - command: The command; a secret, so it must not be logged.
    ///   - correlation: The run of the workflow that it belongs to, the same for all its commands.
    /// - Returns: The reply, also if it came with an HTTP error: the server's errors are commands.
    /// - Throws: `PushError`: `unreachable` if nothing reached the server, `interrupted`
    ///   if it may have processed the command, `server` for a status without a command.
    func exchange(
        _ command: OrchestrationCommand, correlation: FlowID
    ) async throws(PushError) -> OrchestrationCommand
}

extension OrchestrationCommandRelay {
    /// `nil`: unknown.
    public var endpoint: Endpoint? { nil }
}

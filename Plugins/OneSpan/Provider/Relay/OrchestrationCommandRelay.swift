public import PushCore

/// The app's path to its customer application server, which hands commands on to the OneSpan
/// Trusted Identity platform.
///
/// OneSpan's SDK does no networking: it hands a command to the app and wants the reply back
/// ("Orchestration SDK overview"). ``HTTPCommandRelay`` is one that suits most servers.
public protocol OrchestrationCommandRelay: Sendable {
    /// The host that commands go to; `nil` if unknown.
    var host: String? { get }

    /// The port of that host.
    var port: Int { get }

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
    ) async throws(PushError) -> RelayReply
}

extension OrchestrationCommandRelay {
    /// `nil`: unknown.
    public var host: String? { nil }

    /// The port of HTTPS.
    public var port: Int { 443 }
}

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

/// The body of an error that `orchestration-commands-v2` answers with: OneSpan's
/// `TrustedDeviceErrorOutputDto` ("Orchestration error handling with Trusted Device microservice").
///
/// Whoever is between this device and the platform can write it, so it decides nothing: it helps
/// those who read diagnostics. The `command` beside it is what counts.
public struct TrustedDeviceError: Hashable, Sendable {
    /// The HTTP status that it came with.
    public let status: Int

    /// `errorCategory`, as ``ServerErrorCategory`` reads it; `nil` if it is missing or another one.
    public let category: ServerErrorCategory?

    /// `errorCode`; `nil` if it is missing.
    public let code: Int32?

    /// `service`: the microservice, at most 128 characters.
    public let service: String?

    /// `logCorrelationId`, for OneSpan's support, at most 128 characters.
    public let logCorrelationID: String?

    init(status: Int, body: JSON) {
        self.status = status
        category = body["errorCategory"]?.string.flatMap(ServerErrorCategory.init(rawValue:))
        code = body["errorCode"]?.integer.flatMap(Int32.init(exactly:))
        service = body["service"]?.string.map { String($0.prefix(128)) }
        logCorrelationID = body["logCorrelationId"]?.string.map { String($0.prefix(128)) }
    }
}

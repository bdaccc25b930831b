public import HTTPTypes
public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Carries commands as JSON, in the form that `orchestration-commands` and
/// `orchestration-commands-v2` have: `{"command":"…"}` both ways.
///
/// The endpoint is the customer application server's; the platform itself is called from server to
/// server. Redirects aren't followed. A reply counts whatever its status is, as the server's errors
/// are commands as well; a relay that drops the bodies of HTTP errors would lose them. A status says
/// nothing by itself, and neither does the reply's `Date`: both are the relay's, not the platform's.
public struct HTTPCommandRelay: OrchestrationCommandRelay {
    /// The longest body that is read, in bytes: the longest command, and what stands around it.
    package static let bodyLimit = 64 * 1024

    private let address: Endpoint
    private let transport: any Transport
    private let headers: @Sendable () async throws(PushError) -> HTTPFields

    /// Creates a relay.
    ///
    /// - Parameters:
    ///   - endpoint: Where the customer application server takes commands.
    ///   - provider: The provider that it carries commands for: for how long the server wants to be
    ///     left alone counts for that one.
    ///   - environment: The world, as the relay may use it.
    ///   - headers: What each request carries besides, such as the app's own session with the
    ///     server; asked for each time. Its error ends the exchange.
    public init(
        _ endpoint: Endpoint, for provider: ProviderID = "onespan", in environment: PushEnvironment,
        headers: @escaping @Sendable () async throws(PushError) -> HTTPFields = {
            () throws(PushError) in [:]
        }
    ) {
        address = endpoint
        transport = environment.scoped(to: provider).withSignedTimeOnly.transport
        self.headers = headers
    }

    /// Where the customer application server takes commands.
    public var endpoint: Endpoint? { address }

    /// Posts a command.
    ///
    /// - Throws: `PushError`: what the headers and the transport throw, `oversizedReply` for more than
    ///   64 KiB, `server` for an error or a redirect without a command, `interrupted` for a success
    ///   without one.
    public func exchange(
        _ command: OrchestrationCommand, correlation: FlowID
    ) async throws(PushError) -> OrchestrationCommand {
        var fields = try await headers()
        fields[.contentType] = "application/json"
        fields[.accept] = "application/json"
        let sent: JSON = ["command": .string(command.hex)]
        let (response, body) = try await transport.send(
            address.request(.post, headers: fields), body: sent.data)
        return try reply(response.status.code, body)
    }

    private func reply(
        _ status: Int, _ body: Data
    ) throws(PushError) -> OrchestrationCommand {
        guard body.count <= Self.bodyLimit else {
            throw PushError(.oversizedReply, "The reply to a command is too long.")
        }
        // A redirect is another server's address, never a reply.
        guard !(300..<400 ~= status), let command = Self.command(in: body) else {
            guard 200..<300 ~= status else {
                throw PushError(
                    .server(status: status), "The reply \(status) holds no command.",
                    underlying: OneSpanError.relay)
            }
            throw PushError(
                .interrupted, "The reply holds no command.", underlying: OneSpanError.relay)
        }
        return command
    }

    /// The fields beside the command, such as the category and the number of an error, are ignored:
    /// anyone between this device and the platform can write them.
    private static func command(in body: Data) -> OrchestrationCommand? {
        guard let json = try? JSON(parsing: body, limits: JSON.Limits(bytes: bodyLimit, depth: 8)),
            let text = json["command"]?.string
        else { return nil }
        return try? OrchestrationCommand(text)
    }
}

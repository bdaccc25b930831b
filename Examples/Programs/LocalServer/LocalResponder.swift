import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// Reads a request whole, has it answered, and loses patience with a client that is too slow.
struct LocalResponder: Sendable {
    private let handlers: ConnectionHandlers
    private let settings: LocalServer.Settings
    private let gate: ConnectionGate
    private let log: TrafficLog

    init(
        _ greeting: @escaping LocalServer.Greeting, settings: LocalServer.Settings,
        gate: ConnectionGate, log: TrafficLog
    ) {
        handlers = ConnectionHandlers(
            greeting, asksForCertificate: settings.asksForCertificate, gate: gate)
        self.settings = settings
        self.gate = gate
        self.log = log
    }

    var responder: CallbackResponder<LocalContext> {
        CallbackResponder { try await respond(to: $0, in: $1) }
    }

    private func respond(to request: Request, in context: LocalContext) async throws -> Response {
        log.add(peerPort: context.peerPort, isHTTP2: context.isHTTP2)
        guard context.isHTTP2 || !settings.requiresHTTP2 else {
            return Response(status: .httpVersionNotSupported)
        }
        if let refusal = Self.refusal(of: request.head, isHTTP2: context.isHTTP2) {
            var response = Response(status: refusal)
            if refusal == .unsupportedMediaType { response.headers[.acceptEncoding] = "identity" }
            return Self.last(response, in: context)
        }
        let timer = timer(for: context.channel)
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: settings.maximumBodySize)
        } catch is NIOTooManyBytesError {
            // The timer goes on: what the client still sends is read, but not for ever.
            return Self.last(Self.response(settings.oversized(request.head)), in: context)
        }
        timer?.cancel()
        if let limit = settings.requestsPerConnection, context.isHTTP2,
            handlers.count(context.connection) == limit
        {
            context.connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        // A body that was cut off ends like a whole one.
        guard context.channel.isActive else { throw ChannelError.alreadyClosed }
        let connection = ObjectIdentifier(context.connection)
        gate.begin(connection)
        defer { gate.end(connection) }
        let handler = try await handlers.handler(of: context.connection)
        guard let reply = await handler(request.head, Data(body.readableBytesView)) else {
            // Once it is closed, nothing that is thrown here can become a reply.
            try? await context.channel.close()
            throw ChannelError.alreadyClosed
        }
        let response = Self.response(reply)
        // It says how long the body would be, and ends there (RFC 9110, section 9.3.2).
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// What is wrong with a request, whatever it asks for.
    private static func refusal(of head: HTTPRequest, isHTTP2: Bool) -> HTTPResponse.Status? {
        // The first `Host` is the authority; a second one is a field like any other (RFC 9112 section 3.2).
        if !isHTTP2, head.authority == nil || head.headerFields[.host] != nil { return .badRequest }
        // A packed body would be read as it is (RFC 9110 section 15.5.16).
        guard let coding = head.headerFields[.contentEncoding] else { return nil }
        return coding.lowercased() == "identity" ? nil : .unsupportedMediaType
    }

    /// The reply to a request whose body isn't read: of HTTP/1.1 no other can follow it.
    private static func last(_ response: Response, in context: LocalContext) -> Response {
        guard !context.isHTTP2 else { return response }
        var response = response
        response.headers[.connection] = "close"
        return response
    }

    private func timer(for channel: any Channel) -> Task<Void, any Error>? {
        settings.patience.map { patience in
            Task {
                try await Task.sleep(for: patience)
                try await channel.close()
            }
        }
    }

    private static func response(_ reply: (response: HTTPResponse, body: Data)) -> Response {
        Response(
            status: reply.response.status, headers: reply.response.headerFields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: reply.body)))
    }
}

extension HTTPField.Name {
    fileprivate static let host = HTTPField.Name("Host") ?? .accept
}

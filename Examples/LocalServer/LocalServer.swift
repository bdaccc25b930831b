public import Foundation
public import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import Logging
import NIOCore

/// A server on this machine that answers every request with a function.
///
/// It listens on 127.0.0.1 until ``stop()``.
public final class LocalServer: Sendable {
    /// What answers a request: given its head and its whole body, it returns the reply's, or `nil`
    /// to close the connection without one.
    public typealias Handler =
        @Sendable (HTTPRequest, Data) async -> (response: HTTPResponse, body: Data)?

    /// What the server speaks.
    public enum Wire: Sendable {
        /// HTTP/1.1 without TLS.
        case plain
        /// HTTP/1.1 over TLS.
        case secure(LocalIdentity)
        /// HTTP/2 over TLS, or HTTP/1.1 for a client that prefers it.
        case modern(LocalIdentity)
    }

    /// The largest request body it takes, in bytes; a larger one gets status 413.
    public static let maximumBodySize = 4 << 20

    /// The port it listens at.
    public let port: Int

    /// `http` or `https`.
    public let scheme: String

    /// What came in, counted.
    public var traffic: LocalTraffic { log.traffic }

    /// Host and port, as they stand in a URL.
    public var authority: String { "127.0.0.1:\(port)" }

    /// Where it is reached, such as `https://127.0.0.1:8443`.
    public var origin: String { "\(scheme)://\(authority)" }

    private let running: Task<Void, any Error>
    private let log: TrafficLog

    /// Starts a server, and returns once it accepts connections.
    ///
    /// - Parameters:
    ///   - wire: What it speaks.
    ///   - port: Where it listens; 0 lets the system choose.
    ///   - handler: What answers.
    /// - Throws: What keeps it from listening.
    public static func start(
        _ wire: Wire = .plain, at port: Int = 0, handler: @escaping Handler
    ) async throws -> LocalServer {
        let log = TrafficLog()
        let (ports, announcement) = AsyncThrowingStream<Int, any Error>.makeStream()
        let application = Application(
            responder: responder(handler, log),
            server: try builder(for: wire),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in announcement.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "local-server") { _ in SwiftLogNoOpLogHandler() })
        let running = Task {
            do {
                try await application.run()
                announcement.finish()
            } catch {
                announcement.finish(throwing: error)
                throw error
            }
        }
        for try await port in ports {
            return LocalServer(port: port, scheme: wire.scheme, running: running, log: log)
        }
        throw CancellationError()
    }

    private init(port: Int, scheme: String, running: Task<Void, any Error>, log: TrafficLog) {
        self.port = port
        self.scheme = scheme
        self.running = running
        self.log = log
    }

    deinit {
        running.cancel()
    }

    /// Closes every connection, and returns once the port is free.
    public func stop() async {
        running.cancel()
        _ = await running.result
    }

    private static func responder(
        _ handler: @escaping Handler, _ log: TrafficLog
    ) -> CallbackResponder<LocalContext> {
        CallbackResponder { request, context in
            log.add(peerPort: context.peerPort, isHTTP2: context.isHTTP2)
            let body = try await request.body.collect(upTo: maximumBodySize)
            guard
                let (response, content) = await handler(
                    request.head, Data(body.readableBytesView))
            else {
                // Once it is closed, nothing that is thrown here can become a reply.
                try? await context.channel.close()
                throw ChannelError.alreadyClosed
            }
            return Response(
                status: response.status, headers: response.headerFields,
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: content)))
        }
    }

    private static func builder(for wire: Wire) throws -> HTTPServerBuilder {
        switch wire {
        case .plain: .http1()
        case .secure(let identity):
            try .tls(.http1(), tlsConfiguration: identity.tlsConfiguration())
        case .modern(let identity):
            try .http2Upgrade(tlsConfiguration: identity.tlsConfiguration())
        }
    }
}

extension LocalServer.Wire {
    fileprivate var scheme: String {
        switch self {
        case .plain: "http"
        case .secure, .modern: "https"
        }
    }
}

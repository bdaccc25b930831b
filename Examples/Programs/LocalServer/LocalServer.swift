public import Foundation
public import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore

/// A server on this machine that answers every request with a function.
///
/// It listens until ``stop()``, on 127.0.0.1 unless its settings say otherwise.
public final class LocalServer: Sendable {
    /// What answers a request: given its head and its whole body, it returns the reply's, or `nil`
    /// to close the connection without one.
    public typealias Handler =
        @Sendable (HTTPRequest, Data) async -> (response: HTTPResponse, body: Data)?

    /// What meets a new connection: given who is at its other end, it returns what answers the
    /// connection's requests. Asked at the first request, and forgotten once the connection is closed.
    public typealias Greeting = @Sendable (LocalPeer) async -> Handler

    /// What the server speaks.
    public enum Wire: Sendable {
        /// HTTP/1.1 without TLS.
        case plain
        /// HTTP/1.1 over TLS.
        case secure(LocalIdentity)
        /// HTTP/2 over TLS, or HTTP/1.1 for a client that prefers it; without ALPN, whichever the client
        /// begins with.
        case modern(LocalIdentity)
    }

    /// The largest request body it takes, in bytes, unless its settings say otherwise.
    public static let maximumBodySize = 4 << 20

    /// The port it listens at.
    public let port: Int

    /// `http` or `https`.
    public let scheme: String

    /// What came in, counted.
    public var traffic: LocalTraffic { log.traffic }

    /// Host and port, as they stand in a URL.
    public var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Where it is reached, such as `https://127.0.0.1:8443`.
    public var origin: String { "\(scheme)://\(authority)" }

    private let host: String
    private let running: Task<Void, any Error>
    private let log: TrafficLog

    /// Starts a server on 127.0.0.1, and returns once it accepts connections.
    ///
    /// - Parameters:
    ///   - wire: What it speaks.
    ///   - port: Where it listens; 0 lets the system choose.
    ///   - handler: What answers.
    /// - Returns: The server.
    /// - Throws: What keeps it from listening: an ``Obstacle``, where it is known.
    public static func start(
        _ wire: Wire = .plain, at port: Int = 0, handler: @escaping Handler
    ) async throws -> LocalServer {
        var settings = Settings()
        settings.port = port
        return try await start(wire, with: settings, handler: handler)
    }

    /// Starts a server, and returns once it accepts connections.
    ///
    /// - Parameters:
    ///   - wire: What it speaks.
    ///   - settings: Where it listens, and what it puts up with.
    ///   - handler: What answers.
    /// - Returns: The server.
    /// - Throws: What keeps it from listening: an ``Obstacle``, where it is known.
    public static func start(
        _ wire: Wire, with settings: Settings, handler: @escaping Handler
    ) async throws -> LocalServer {
        try await start(wire, with: settings) { _ in handler }
    }

    /// Starts a server that answers each connection by a handler of its own, and returns once it
    /// accepts connections.
    ///
    /// - Parameters:
    ///   - wire: What it speaks.
    ///   - settings: Where it listens, and what it puts up with.
    ///   - greeting: Makes what answers the requests of a connection.
    /// - Returns: The server.
    /// - Throws: What keeps it from listening: an ``Obstacle``, where it is known.
    public static func start(
        _ wire: Wire, with settings: Settings, greeting: @escaping Greeting
    ) async throws -> LocalServer {
        let log = TrafficLog()
        let gate = settings.connections ?? ConnectionGate(.none)
        let (ports, announcement) = AsyncThrowingStream<Int, any Error>.makeStream()
        let application = Application(
            responder: LocalResponder(greeting, settings: settings, gate: gate, log: log)
                .responder,
            server: try wire.builder(for: settings, gate),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port),
                availableConnectionsDelegate: ConnectionGate.Listener(gate)),
            onServerRunning: { channel in announcement.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "local-server") { _ in SwiftLogNoOpLogHandler() })
        let running = Task {
            do {
                try await application.run()
                announcement.finish()
            } catch {
                announcement.finish(throwing: Obstacle(error) ?? error)
                throw error
            }
        }
        for try await port in ports {
            return LocalServer(
                at: settings.host, port, scheme: wire.scheme, running: running, log: log)
        }
        throw CancellationError()
    }

    private init(
        at host: String, _ port: Int, scheme: String, running: Task<Void, any Error>,
        log: TrafficLog
    ) {
        self.host = host
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
}

extension LocalServer.Wire {
    fileprivate var scheme: String {
        switch self {
        case .plain: "http"
        case .secure, .modern: "https"
        }
    }

    fileprivate func builder(
        for settings: LocalServer.Settings, _ gate: ConnectionGate
    ) throws -> HTTPServerBuilder {
        let patience = settings.patience
        switch self {
        case .plain:
            return HTTPServerBuilder { responder in
                watched(Self.http1(responder, patience), gate, patience)
            }
        case .secure(let identity):
            let tls = try identity.tlsConfiguration()
            return HTTPServerBuilder { responder in
                watched(
                    try TLSChannel(Self.http1(responder, patience), tlsConfiguration: tls), gate,
                    patience)
            }
        case .modern(let identity):
            let tls = try identity.tlsChannel(asksForCertificate: settings.asksForCertificate)
            return HTTPServerBuilder { responder in
                watched(
                    try ALPNChannel(tls, over: Self.http1(responder, patience), gate: gate), gate,
                    patience)
            }
        }
    }

    private static func http1(
        _ responder: @escaping HTTPChannelHandler.Responder, _ patience: Duration?
    ) -> HTTP1Wire {
        HTTP1Wire(base: HTTP1Channel(responder: responder), patience: patience)
    }
}

private func watched(
    _ base: some ServerChildChannel, _ gate: ConnectionGate, _ patience: Duration?
) -> any ServerChildChannel {
    WatchedChannel(
        base: AlwaysHandled(base: base), gate: gate, patience: patience.map { TimeAmount($0) })
}

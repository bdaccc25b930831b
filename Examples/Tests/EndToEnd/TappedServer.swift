import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import NIOSSL
import PushCore
import PushPlatform

/// A TLS server that counts every byte that reaches it through TLS, and keeps what it says below.
///
/// It answers each request that ends with its head. A lock guards what changes, which is why
/// `@unchecked Sendable` is safe.
final class TappedServer: @unchecked Sendable {
    /// What came and went over one connection.
    struct Connection: Sendable {
        /// Bytes of requests, after TLS.
        var received = 0
        /// What the server wrote, under TLS.
        var sent = Data()
    }

    private let lock = NSLock()
    private var seen: [Connection] = []
    private var settings: [TLSConfiguration] = []
    private var listener: (any Channel)?

    var connections: [Connection] { lock.withLock { seen } }
    var receivedBytes: Int { connections.map(\.received).reduce(0, +) }
    var port: Int { lock.withLock { listener?.localAddress?.port } ?? 0 }

    /// Runs a test against a new server and ends it after.
    ///
    /// - Parameters:
    ///   - settings: What each connection is served with, the last of them from then on.
    ///   - keepsOpen: Whether a connection serves more than one request.
    ///   - test: Gets the server.
    /// - Throws: What the test throws.
    static func run(
        _ settings: TLSConfiguration..., keepsOpen: Bool = true,
        test: (TappedServer) async throws -> Void
    ) async throws {
        let server = TappedServer()
        server.lock.withLock { server.settings = settings }
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let (number, settings) = server.open()
                    let context = try NIOSSLContext(configuration: settings)
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(Tap(server, number))
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.addHandler(Reader(server, number, keepsOpen: keepsOpen))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.lock.withLock { server.listener = listener }
        do {
            try await test(server)
            try? await listener.close().get()
        } catch {
            try? await listener.close().get()
            throw error
        }
    }

    func request(to host: String = "127.0.0.1") -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "https", authority: "\(host):\(port)", path: "/secret")
    }

    /// Sends a request that must fail.
    func failure(of transport: CurlTransport, to host: String = "127.0.0.1") async -> PushError? {
        do throws(PushError) {
            _ = try await transport.send(request(to: host), body: Data())
            return nil
        } catch {
            return error
        }
    }

    private func open() -> (number: Int, settings: TLSConfiguration) {
        lock.withLock {
            seen.append(Connection())
            return (seen.count - 1, settings[min(seen.count, settings.count) - 1])
        }
    }

    fileprivate func note(_ number: Int, _ change: (inout Connection) -> Void) {
        lock.withLock { change(&seen[number]) }
    }
}

/// Sits below TLS and copies what is written.
private final class Tap: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private let server: TappedServer
    private let number: Int

    init(_ server: TappedServer, _ number: Int) {
        self.server = server
        self.number = number
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        server.note(number) { $0.sent += bytes.readableBytesView }
        context.write(data, promise: promise)
    }
}

/// Counts what comes through TLS, and answers.
private final class Reader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let server: TappedServer
    private let number: Int
    private let keepsOpen: Bool
    private var received = ""

    init(_ server: TappedServer, _ number: Int, keepsOpen: Bool) {
        self.server = server
        self.number = number
        self.keepsOpen = keepsOpen
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        server.note(number) { $0.received += bytes.readableBytes }
        received += String(buffer: bytes)
        guard received.hasSuffix("\r\n\r\n") else { return }
        received = ""
        let reply =
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + (keepsOpen ? "" : "Connection: close\r\n")
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: reply + "\r\nOK")), promise: nil)
        if !keepsOpen { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

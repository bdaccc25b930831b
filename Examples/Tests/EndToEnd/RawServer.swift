import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import NIOPosix
import NIOSSL
import PushCore
import PushPlatform

/// A TLS server that answers each request with fixed bytes and closes.
///
/// A lock guards what changes, which is why `@unchecked Sendable` is safe.
final class RawServer: @unchecked Sendable {
    private let lock = NSLock()
    private var requests = 0
    private var listener: (any Channel)?

    /// Where it listens.
    var port: Int { lock.withLock { listener?.localAddress?.port } ?? 0 }

    var requestCount: Int { lock.withLock { requests } }

    /// Starts a server.
    ///
    /// TLS says good-bye first if `closesOrderly` is set, so that nothing seems missing.
    static func start(
        _ settings: TLSConfiguration, reply: String, closesOrderly: Bool = true
    ) async throws -> RawServer {
        let server = RawServer()
        let context = try NIOSSLContext(configuration: settings)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(Cutter())
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.addHandler(
                        Answerer(reply: reply, closesOrderly: closesOrderly) {
                            server.lock.withLock { server.requests += 1 }
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.lock.withLock { server.listener = listener }
        return server
    }

    func stop() async {
        try? await lock.withLock { listener }?.close().get()
    }

    /// Sends a request to it.
    func send(
        trusting authority: LocalAuthority
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let transport = CurlTransport(
            .init(certificateAuthorities: .file(authority.certificateFile.path)))
        let request = HTTPRequest(
            method: .post, scheme: "https", authority: "127.0.0.1:\(port)", path: "/")
        return try await transport.send(request, body: Data("x".utf8))
    }
}

/// Sits below TLS, where closing cuts it off.
private final class Cutter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    struct Cut: Sendable {}

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is Cut else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        context.close(promise: promise)
    }
}

/// Answers once a request's head has come.
private final class Answerer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let reply: String
    private let closesOrderly: Bool
    private let count: () -> Void
    private var received = ""

    init(reply: String, closesOrderly: Bool, count: @escaping () -> Void) {
        self.reply = reply
        self.closesOrderly = closesOrderly
        self.count = count
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += String(buffer: unwrapInboundIn(data))
        let end = received.hasPrefix("HEAD ") ? "\r\n\r\n" : "\r\n\r\nx"
        guard received.hasSuffix(end) else { return }
        count()
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: reply)), promise: nil)
        if closesOrderly {
            context.close(promise: nil)
        } else {
            context.triggerUserOutboundEvent(Cutter.Cut(), promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// A frame of HTTP/2 as it is on the wire (RFC 9113, section 4.1).
struct WireFrame: Equatable {
    enum Kind {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let reset: UInt8 = 3
        static let settings: UInt8 = 4
        static let goAway: UInt8 = 7
    }

    var kind: UInt8
    var flags: UInt8 = 0
    var stream: Int = 0
    var payload: [UInt8] = []

    var endsStream: Bool { (kind == Kind.data || kind == Kind.headers) && flags & 1 == 1 }

    var bytes: [UInt8] {
        let numbers = [(payload.count, 3), (Int(kind), 1), (Int(flags), 1), (stream, 4)]
        return numbers.flatMap { number, width in
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        } + payload
    }

    /// Takes a frame from the front of what came; `nil` if it isn't all there.
    static func take(from bytes: inout [UInt8]) -> WireFrame? {
        guard bytes.count >= 9 else { return nil }
        let size = bytes[0..<3].reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= 9 + size else { return nil }
        let frame = WireFrame(
            kind: bytes[3], flags: bytes[4],
            stream: bytes[5..<9].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF,
            payload: Array(bytes[9..<9 + size]))
        bytes.removeFirst(9 + size)
        return frame
    }

    /// A request: its head, and its body in a frame that ends it.
    static func request(
        on stream: Int, _ headers: [(String, String)], _ body: String
    ) -> [WireFrame] {
        // Literal, with a new name, without indexing and without Huffman's code (RFC 7541, 6.2.2).
        var head: [UInt8] = []
        for (name, value) in headers { head += [0] + text(name) + text(value) }
        return [
            WireFrame(kind: Kind.headers, flags: 4, stream: stream, payload: head),
            WireFrame(kind: Kind.data, flags: 1, stream: stream, payload: Array(body.utf8)),
        ]
    }

    /// A text with its length, in seven bits and as many bytes as it takes (RFC 7541, 5.1).
    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var length: [UInt8] = [127]
        var rest = bytes.count - 127
        while rest >= 128 {
            length.append(UInt8(rest % 128 + 128))
            rest /= 128
        }
        return length + [UInt8(rest)] + bytes
    }
}

/// A TLS client of this machine that sends bytes, and knows no HTTP.
final class FrameClient {
    /// What a connection of HTTP/2 begins with, and empty settings.
    static let opening =
        Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        + WireFrame(kind: WireFrame.Kind.settings).bytes

    private let channel: any Channel
    private let incoming: AsyncStream<[UInt8]>
    private var received: [UInt8] = []

    /// Connects, and finishes the handshake.
    ///
    /// - Parameters:
    ///   - port: Where the server listens on 127.0.0.1.
    ///   - authority: The file with the certificate to trust.
    ///   - protocols: What it offers by ALPN; without any, it doesn't speak ALPN.
    /// - Throws: What the handshake fails for.
    init(port: Int, authority: String, protocols: [String] = []) async throws {
        var settings = TLSConfiguration.makeClientConfiguration()
        settings.trustRoots = .file(authority)
        settings.certificateVerification = .noHostnameVerification
        settings.applicationProtocols = protocols
        let context = try NIOSSLContext(configuration: settings)
        let (bytes, source) = AsyncStream<[UInt8]>.makeStream()
        incoming = bytes
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: nil))
                    try pipeline.addHandler(ByteSource(source))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// The frames that come until each of some streams, or the connection, is over; until the first head
    /// of a reply, if that is wanted.
    func frames(
        untilEndOf streams: Set<Int>, orHead endsAtHead: Bool = false
    ) async throws -> [WireFrame] {
        var open = streams
        var frames: [WireFrame] = []
        while !open.isEmpty {
            guard let frame = WireFrame.take(from: &received) else {
                guard let bytes = await next() else { break }
                received += bytes
                continue
            }
            frames.append(frame)
            if frame.kind == WireFrame.Kind.settings, frame.flags & 1 == 0 {
                try await send(WireFrame(kind: WireFrame.Kind.settings, flags: 1).bytes)
            }
            if frame.kind == WireFrame.Kind.goAway { break }
            if endsAtHead, frame.kind == WireFrame.Kind.headers { break }
            if frame.endsStream || frame.kind == WireFrame.Kind.reset { open.remove(frame.stream) }
        }
        return frames
    }

    /// What comes until the server closes the connection, as text.
    func text() async -> String {
        for await bytes in incoming { received += bytes }
        return String(decoding: received, as: UTF8.self)
    }

    private func next() async -> [UInt8]? {
        for await bytes in incoming { return bytes }
        return nil
    }

    /// Whether the server has closed the connection.
    var isClosed: Bool { !channel.isActive }

    func close() async {
        try? await channel.close().get()
    }
}

/// Hands on what comes.
private final class ByteSource: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let source: AsyncStream<[UInt8]>.Continuation

    init(_ source: AsyncStream<[UInt8]>.Continuation) {
        self.source = source
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        source.yield(Array(unwrapInboundIn(data).readableBytesView))
    }

    func channelInactive(context: ChannelHandlerContext) {
        source.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

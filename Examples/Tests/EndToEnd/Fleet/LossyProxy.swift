import Foundation
import NIOCore
import NIOPosix

/// Stands between a program and its etcd, and loses what etcd says: it has done what it was asked.
///
/// A lock guards what changes, which is why `@unchecked Sendable` is safe.
final class LossyProxy: @unchecked Sendable {
    private let lock = NSLock()
    private let share: Int
    private var transactions = 0
    private var lost = 0
    private var listener: (any Channel)?

    var port: Int { lock.withLock { listener?.localAddress?.port } ?? 0 }

    /// How many replies were lost until now.
    var losses: Int { lock.withLock { lost } }

    private init(losing share: Int) {
        self.share = share
    }

    /// Listens on loopback.
    ///
    /// - Parameters:
    ///   - port: etcd's port, at which it speaks plain HTTP.
    ///   - share: Of so many transactions, the reply of the last is lost with its connection.
    /// - Returns: The proxy, which takes connections.
    /// - Throws: What keeps it from listening.
    static func start(to port: Int, losingOneOf share: Int) async throws -> LossyProxy {
        let proxy = LossyProxy(losing: share)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop).connect(host: "127.0.0.1", port: port)
                    .flatMapThrowing { server in
                        let replies = Replies(to: client, proxy)
                        try server.pipeline.syncOperations.addHandler(replies)
                        try client.pipeline.syncOperations
                            .addHandler(Requests(to: server, replies, proxy))
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        proxy.lock.withLock { proxy.listener = listener }
        return proxy
    }

    func stop() async {
        try? await lock.withLock { listener }?.close().get()
    }

    /// Whether the reply to what begins with some bytes is to be lost.
    fileprivate func loses(_ bytes: ByteBuffer) -> Bool {
        guard bytes.readableBytesView.starts(with: "POST /v3/kv/txn ".utf8) else { return false }
        return lock.withLock {
            transactions += 1
            return transactions.isMultiple(of: share)
        }
    }

    fileprivate func noteLoss() {
        lock.withLock { lost += 1 }
    }
}

/// Passes requests on.
private final class Requests: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let server: any Channel
    private let replies: Replies
    private let proxy: LossyProxy

    init(to server: any Channel, _ replies: Replies, _ proxy: LossyProxy) {
        self.server = server
        self.replies = replies
        self.proxy = proxy
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if proxy.loses(bytes) { replies.losesNext = true }
        server.writeAndFlush(bytes, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        server.close(promise: nil)
    }
}

/// Passes replies back, or ends the connection in their place.
private final class Replies: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel
    private let proxy: LossyProxy
    var losesNext = false

    init(to client: any Channel, _ proxy: LossyProxy) {
        self.client = client
        self.proxy = proxy
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard losesNext else {
            client.writeAndFlush(unwrapInboundIn(data), promise: nil)
            return
        }
        losesNext = false
        proxy.noteLoss()
        client.close(promise: nil)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        client.close(promise: nil)
    }
}

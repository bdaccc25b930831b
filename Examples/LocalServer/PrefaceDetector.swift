import NIOCore

/// What every connection of HTTP/2 begins with (RFC 9113, section 3.4).
private let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

/// Tells by a client's first bytes whether it speaks HTTP/2, then leaves the connection to what does.
final class PrefaceDetector<Language: Sendable>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let promise: EventLoopPromise<Language>
    private let limit: TimeAmount?
    private let begin: (_ isHTTP2: Bool) -> EventLoopFuture<Language>
    private var received = ByteBuffer()
    private var isDecided = false
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - promise: Gets what `begin` makes; fails if the connection is closed before.
    ///   - limit: How long the client may take; then its connection is closed.
    ///   - begin: Adds what speaks one of the two behind this handler.
    init(
        _ promise: EventLoopPromise<Language>, limit: TimeAmount?,
        begin: @escaping (_ isHTTP2: Bool) -> EventLoopFuture<Language>
    ) {
        self.promise = promise
        self.limit = limit
        self.begin = begin
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        timer = limit.map { limit in
            context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        giveUp()
    }

    func channelInactive(context: ChannelHandlerContext) {
        giveUp()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        let start = received.readableBytesView.prefix(preface.count)
        guard !isDecided, start.count == preface.count || !preface.starts(with: start) else {
            return
        }
        isDecided = true
        timer?.cancel()
        let language = begin(start.elementsEqual(preface))
        promise.completeWith(language)
        language.assumeIsolated().whenComplete { result in
            guard case .success = result else { return context.close(promise: nil) }
            context.fireChannelRead(self.wrapInboundOut(self.received))
            context.fireChannelReadComplete()
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
    }

    private func giveUp() {
        timer?.cancel()
        guard !isDecided else { return }
        isDecided = true
        promise.fail(ChannelError.eof)
    }
}

import NIOCore

/// What every connection of HTTP/2 begins with (RFC 9113, section 3.4).
private let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

/// Tells by a client's first bytes whether it speaks HTTP/2, then leaves the connection to what does.
final class PrefaceDetector<Language: Sendable>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let promise: EventLoopPromise<Language>
    private let begin: (_ isHTTP2: Bool) -> EventLoopFuture<Language>
    private var received = ByteBuffer()
    private var isDecided = false

    /// - Parameters:
    ///   - promise: Gets what `begin` makes; fails if the connection is closed before.
    ///   - begin: Adds what speaks one of the two behind this handler.
    init(
        _ promise: EventLoopPromise<Language>,
        begin: @escaping (_ isHTTP2: Bool) -> EventLoopFuture<Language>
    ) {
        self.promise = promise
        self.begin = begin
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        giveUp()
    }

    func channelInactive(context: ChannelHandlerContext) {
        giveUp()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Whoever says nothing more won't say what it speaks.
        if case .inputClosed = event as? ChannelEvent, !isDecided { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        let start = received.readableBytesView.prefix(preface.count)
        guard !isDecided, start.count == preface.count || !preface.starts(with: start) else {
            return
        }
        isDecided = true
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
        guard !isDecided else { return }
        isDecided = true
        promise.fail(ChannelError.eof)
    }
}

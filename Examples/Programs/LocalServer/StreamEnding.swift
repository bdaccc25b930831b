import NIOCore
import NIOHTTP2

/// Ends a stream of HTTP/2 with the last frame that holds something.
///
/// Else a reply is followed by `DATA` frames without data, the last of which ends the stream. They are
/// legal, and some clients don't expect them behind a reply without a body.
final class StreamEnding: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private typealias Write = (frame: HTTP2Frame.FramePayload, promise: EventLoopPromise<Void>?)

    /// What the next frame may turn out to end; not for longer than until what is written is sent.
    private var held: Write?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let frame = unwrapOutboundIn(data)
        switch (frame, held) {
        case (.data(let data), let held?) where data.data.readableBytes == 0:
            guard data.endStream else {
                promise?.succeed()
                return
            }
            self.held = nil
            // The frame that is sent is sent for both.
            held.promise?.futureResult.cascade(to: promise)
            context.write(
                wrapOutboundOut(held.frame.endingStream()), promise: held.promise ?? promise)
        case (.data(let data), _) where !data.endStream:
            release(context)
            held = (frame, promise)
        case (.headers(let headers), _) where !headers.endStream:
            release(context)
            held = (frame, promise)
        default:
            release(context)
            context.write(wrapOutboundOut(frame), promise: promise)
        }
    }

    func flush(context: ChannelHandlerContext) {
        release(context)
        context.flush()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        held?.promise?.fail(ChannelError.ioOnClosedChannel)
        held = nil
    }

    private func release(_ context: ChannelHandlerContext) {
        guard let write = held else { return }
        held = nil
        context.write(wrapOutboundOut(write.frame), promise: write.promise)
    }
}

extension HTTP2Frame.FramePayload {
    /// The same, as the last of its stream.
    fileprivate func endingStream() -> HTTP2Frame.FramePayload {
        switch self {
        case .headers(var headers):
            headers.endStream = true
            return .headers(headers)
        case .data(var data):
            data.endStream = true
            return .data(data)
        default: return self
        }
    }
}

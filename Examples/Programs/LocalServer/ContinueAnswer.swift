import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Tells clients that wait with their body to send it (RFC 9110, section 10.1.1).
final class ContinueAnswer: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// For each request that isn't answered, whether its client waits. The first is answered first, and
    /// nothing may be written to the others before.
    private var open: [Bool] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) {
            open.append(head.headerFields[.expect]?.lowercased() == "100-continue")
            if open.count == 1 { goOn(context) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let isEnd = if case .end = unwrapOutboundIn(data) { true } else { false }
        context.write(data, promise: promise)
        guard isEnd, !open.isEmpty else { return }
        open.removeFirst()
        goOn(context)
    }

    private func goOn(_ context: ChannelHandlerContext) {
        guard open.first == true else { return }
        open[0] = false
        context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }
}

/// Makes a request of HTTP/1.0 one of HTTP/1.1: it needs no host, which a balancer's checks don't name,
/// and its client knows no reply before the reply.
final class OldRequests: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), head.version.minor == 0 else {
            return context.fireChannelRead(data)
        }
        if !head.headers.contains(name: "host") {
            head.headers.add(name: "host", value: "localhost")
        }
        head.headers.remove(name: "expect")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}

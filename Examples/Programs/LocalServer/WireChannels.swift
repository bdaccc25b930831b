import HummingbirdCore
import Logging
import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOHTTPTypesHTTP2

/// A channel that speaks HTTP/1.1.
struct HTTP1Wire: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    let patience: Duration?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false,
                withOutboundHeaderValidation: false)
            try pipeline.addHandlers(
                OldRequests(), HTTP1ToHTTPServerCodec(secure: false), ContinueAnswer(),
                HTTPConnectionStateHandler(idleTimeout: patience, logger: logger))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

/// A channel that speaks HTTP/2, of which each stream is handled as a connection of HTTP/1.1 with one
/// request is.
struct HTTP2Wire: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        /// `nil` for a stream that was refused.
        let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<HTTP1Channel.Value?>
        let channel: any Channel
    }

    let base: HTTP1Channel
    let gate: ConnectionGate
    let patience: Duration?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            // A client whose credential was accepted may keep a connection that it doesn't use just now.
            let idle = patience.map { TimeAmount($0 * 30) }
            let manager = NIOHTTP2ServerConnectionManagementHandler(
                eventLoop: channel.eventLoop,
                configuration: .init(
                    maxIdleTime: idle, maxAge: nil, maxGraceTime: idle, keepalive: nil))
            var configuration = NIOHTTP2Handler.Configuration()
            configuration.connection.initialSettings = [
                HTTP2Setting(
                    parameter: .maxConcurrentStreams, value: FrameWatch.uncountedStreams),
                HTTP2Setting(
                    parameter: .maxHeaderListSize,
                    value: HPACKDecoder.defaultMaxHeaderListSize),
            ]
            try pipeline.addHandler(
                FrameWatch(
                    patience.map { TimeAmount($0) },
                    announcing: ConnectionLimits.streamsPerConnection))
            let streams = try pipeline.configureAsyncHTTP2Pipeline(
                mode: .server, streamDelegate: manager.http2StreamDelegate,
                configuration: configuration
            ) { stream in
                begin(stream, of: ObjectIdentifier(channel), logger)
            }
            try pipeline.addHandler(manager)
            return Value(streams: streams, channel: channel)
        }
    }

    private func begin(
        _ stream: any Channel, of connection: ObjectIdentifier, _ logger: Logger
    ) -> EventLoopFuture<HTTP1Channel.Value?> {
        stream.eventLoop.makeCompletedFuture {
            let pipeline = stream.pipeline.syncOperations
            guard gate.takeStream(of: connection) else {
                try pipeline.addHandler(StreamRefusal())
                return nil
            }
            stream.closeFuture.whenComplete { _ in gate.releaseStream(of: connection) }
            try pipeline.addHandlers(
                StreamEnding(), HTTP2FramePayloadToHTTPServerCodec(), ContinueAnswer(),
                HTTPConnectionStateHandler(idleTimeout: patience, logger: logger))
            return try HTTP1Channel.Value(wrappingChannelSynchronously: stream)
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            try await withThrowingDiscardingTaskGroup { group in
                for try await case let stream? in value.streams.inbound {
                    group.addTask { await base.handle(value: stream, logger: logger) }
                }
            }
        } catch {
            logger.debug("The connection broke off: \(error)")
        }
    }
}

/// Refuses a stream, which its client may send again (RFC 9113, section 8.7).
private final class StreamRefusal: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private var isRefused = false

    func channelActive(context: ChannelHandlerContext) {
        refuse(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        refuse(context)
    }

    private func refuse(_ context: ChannelHandlerContext) {
        guard !isRefused else { return }
        isRefused = true
        context.writeAndFlush(wrapOutboundOut(.rstStream(.refusedStream)), promise: nil)
    }
}

import HummingbirdCore
import Logging
import NIOCore

/// A channel whose connections pass a gate, and must prove something in time.
struct WatchedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let gate: ConnectionGate
    let patience: TimeAmount?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            // In front of TLS, whose goodbye would take its time.
            try channel.pipeline.syncOperations.addHandler(
                ConnectionWatch(gate, patience), position: .first)
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

/// Closes a connection that has proved nothing and is idle for too long, or that must make room.
///
/// Idle is what sends no whole request: a handshake, a head or a body that doesn't come to its end is
/// the same to it as silence.
private final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let gate: ConnectionGate
    private let patience: TimeAmount?
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?

    init(_ gate: ConnectionGate, _ patience: TimeAmount?) {
        self.gate = gate
        self.patience = patience
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let (loop, channel) = (context.eventLoop, context.channel)
        let watch = NIOLoopBound(self, eventLoop: loop)
        gate.admit(
            ConnectionGate.Connection(
                id: ObjectIdentifier(channel),
                close: { loop.execute { watch.value.context?.close(promise: nil) } },
                end: { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
            ))
        schedule(in: patience)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        leave(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave(context)
        context.fireChannelInactive()
    }

    private func leave(_ context: ChannelHandlerContext) {
        timer?.cancel()
        guard self.context != nil else { return }
        self.context = nil
        gate.forget(ObjectIdentifier(context.channel))
    }

    private func schedule(in time: TimeAmount?) {
        guard let time, let context else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { self.look() }
    }

    private func look() {
        guard let patience, let context,
            let rest = gate.rest(of: patience, for: ObjectIdentifier(context.channel))
        else { return }
        if rest > .zero { schedule(in: rest) } else { context.close(promise: nil) }
    }
}

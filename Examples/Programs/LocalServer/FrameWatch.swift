import NIOCore

/// Stands before what reads the frames of HTTP/2 (RFC 9113), and sees three things to their end.
///
/// A frame, or a head of several, that has begun must come whole in time. Clients are told of a limit of
/// streams, and what is over it is refused stream by stream, while what reads the frames would close the
/// connection. And that limit counts from the start, as a client may send before it has read the server's
/// settings: to what reads the frames, they are acknowledged at once.
final class FrameWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The streams that what reads the frames takes.
    static let uncountedStreams = 1 << 20

    private enum Kind {
        static let headers: UInt8 = 1
        static let settings: UInt8 = 4
        static let continuation: UInt8 = 9
    }

    private static let acknowledgment: [UInt8] = [0, 0, 0, Kind.settings, 1, 0, 0, 0, 0]

    private let patience: TimeAmount?
    private let announced: UInt32
    private var timer: Scheduled<Void>?

    /// What is left of the preface, in bytes.
    private var preface = 24
    private var head: [UInt8] = []
    /// What is left of the frame that `head` begins, in bytes.
    private var payload = 0
    private var isHeadOpen = false
    private var isAcknowledged = false
    private var hasAcknowledged = false
    private var isAnnounced = false

    init(_ patience: TimeAmount?, announcing streams: Int) {
        self.patience = patience
        announced = UInt32(clamping: streams)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Nothing can come any more, and HTTP/2 isn't spoken one way.
        if case .inputClosed = event as? ChannelEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: What comes in

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        var passed = context.channel.allocator.buffer(capacity: bytes.readableBytes + 9)
        var isWhole = false
        while bytes.readableBytes > 0 {
            if preface > 0 {
                preface -= pass(preface, of: &bytes, to: &passed)
            } else if head.count < 9 {
                head.append(bytes.readInteger() ?? 0)
                guard head.count == 9 else { continue }
                payload = head[0..<3].reduce(0) { $0 << 8 | Int($1) }
                if !dropsHead() { passed.writeBytes(head) }
                if payload == 0 { isWhole = endFrame(&passed) || isWhole }
            } else {
                payload -= pass(payload, of: &bytes, to: &passed)
                if payload == 0 { isWhole = endFrame(&passed) || isWhole }
            }
        }
        if isWhole { stopTimer() }
        if !head.isEmpty || isHeadOpen { startTimer(context) }
        if passed.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(passed)) }
    }

    private func pass(_ count: Int, of bytes: inout ByteBuffer, to passed: inout ByteBuffer) -> Int
    {
        guard var slice = bytes.readSlice(length: min(count, bytes.readableBytes)) else { return 0 }
        return passed.writeBuffer(&slice)
    }

    /// Whether a frame is the client's acknowledgment, which was given for it.
    private func dropsHead() -> Bool {
        guard isAcknowledged, !hasAcknowledged, head[3] == Kind.settings, head[4] & 1 == 1,
            payload == 0
        else { return false }
        hasAcknowledged = true
        return true
    }

    /// - Returns: Whether nothing is open now.
    private func endFrame(_ passed: inout ByteBuffer) -> Bool {
        let (kind, flags) = (head[3], head[4])
        head = []
        if kind == Kind.settings, !isAcknowledged {
            isAcknowledged = true
            passed.writeBytes(Self.acknowledgment)
        }
        if kind == Kind.headers || kind == Kind.continuation { isHeadOpen = flags & 4 == 0 }
        return !isHeadOpen
    }

    private func startTimer(_ context: ChannelHandlerContext) {
        guard timer == nil, let patience else { return }
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    }

    private func stopTimer() {
        timer?.cancel()
        timer = nil
    }

    // MARK: What goes out

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isAnnounced, case .byteBuffer(var bytes) = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        isAnnounced = true
        announce(in: &bytes)
        context.write(wrapOutboundOut(.byteBuffer(bytes)), promise: promise)
    }

    /// Names the limit in the settings, which are the first frame (RFC 9113, section 6.5.2).
    private func announce(in bytes: inout ByteBuffer) {
        let start = bytes.readerIndex
        guard let size: UInt16 = bytes.getInteger(at: start + 1),
            bytes.getInteger(at: start + 3) == Kind.settings
        else { return }
        for setting in stride(from: start + 9, to: start + 9 + Int(size), by: 6)
        where bytes.getInteger(at: setting) == UInt16(3) {
            bytes.setInteger(announced, at: setting + 2)
        }
    }
}

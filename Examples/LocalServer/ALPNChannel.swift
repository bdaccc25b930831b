import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOHTTP2
import NIOSSL
import NIOTLS

/// A channel over TLS that speaks HTTP/2 or HTTP/1.1.
///
/// Which one, the handshake settles by ALPN (RFC 7301). A client without ALPN shows it by its first
/// bytes: HTTP/2 begins with a preface that is no request of HTTP/1.1 (RFC 9113, section 3.4).
struct ALPNChannel: ServerChildChannel {
    /// What a connection speaks, and how it is read and written.
    enum Language: Sendable {
        case http1(HTTP1Channel.Value)
        case http2(HTTP2Channel.Value)
    }

    struct Value: ServerChildChannelValue {
        /// Known once the handshake is over and, without ALPN, the first bytes have come.
        let language: EventLoopFuture<EventLoopFuture<Language>>
        let channel: any Channel
    }

    private let context: NIOSSLContext
    private let verification: TLSChannelConfiguration.CustomVerificationCallback?
    private let http1: HTTP1Channel
    private let http2: HTTP2Channel
    private let limit: TimeAmount?

    /// - Parameters:
    ///   - tls: What proves the server, and whether the client is asked to prove itself.
    ///   - patience: How long a client may take to say what it speaks, and then for a request.
    ///   - responder: What answers the requests.
    /// - Throws: What the settings of TLS are refused for.
    init(
        _ tls: TLSChannelConfiguration, patience: Duration?,
        responder: @escaping HTTPChannelHandler.Responder
    ) throws {
        var configuration = tls.tlsConfiguration
        configuration.applicationProtocols = NIOHTTP2SupportedALPNProtocols
        context = try NIOSSLContext(configuration: configuration)
        verification = tls.customVerificationCallback
        let limit = patience.map { TimeAmount($0) }
        self.limit = limit
        http1 = HTTP1Channel(responder: responder, configuration: .init(idleTimeout: limit))
        http2 = HTTP2Channel(
            responder: responder,
            configuration: HTTP2ChannelConfiguration(
                // A client may keep a connection of HTTP/2 that it doesn't use just now.
                idleTimeout: patience.map { $0 * 30 },
                streamConfiguration: .init(
                    additionalChannelHandlers: [StreamEnding.Installer()], idleTimeout: limit)))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(
                NIOSSLServerHandler(
                    context: context, customVerificationCallback: verification,
                    configuration: .init()))
            let negotiation = NIOTypedApplicationProtocolNegotiationHandler { result in
                self.language(by: result, of: channel, logger)
            }
            try pipeline.addHandler(negotiation)
            return Value(language: negotiation.protocolNegotiationResult, channel: channel)
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.language.get().get() {
            case .http1(let value): await http1.handle(value: value, logger: logger)
            case .http2(let value): await http2.handle(value: value, logger: logger)
            }
        } catch {
            logger.debug("The connection ended before a request: \(error)")
        }
    }

    private func language(
        by result: ALPNResult, of channel: any Channel, _ logger: Logger
    ) -> EventLoopFuture<EventLoopFuture<Language>> {
        let loop = channel.eventLoop
        switch result {
        case .negotiated("h2"):
            return begin(isHTTP2: true, on: channel, logger).map { loop.makeSucceededFuture($0) }
        case .negotiated:
            return begin(isHTTP2: false, on: channel, logger).map { loop.makeSucceededFuture($0) }
        case .fallback:
            let promise = loop.makePromise(of: Language.self)
            let detector = PrefaceDetector(promise, limit: limit) { isHTTP2 in
                self.begin(isHTTP2: isHTTP2, on: channel, logger)
            }
            do {
                try channel.pipeline.syncOperations.addHandler(detector)
            } catch {
                promise.fail(error)
            }
            return loop.makeSucceededFuture(promise.futureResult)
        }
    }

    private func begin(
        isHTTP2: Bool, on channel: any Channel, _ logger: Logger
    ) -> EventLoopFuture<Language> {
        guard isHTTP2 else {
            return http1.setup(channel: channel, logger: logger).map { .http1($0) }
        }
        return http2.setup(channel: channel, logger: logger).map { .http2($0) }
    }
}

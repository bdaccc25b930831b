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
        case http1(HTTP1Wire.Value)
        case http2(HTTP2Wire.Value)
    }

    struct Value: ServerChildChannelValue {
        /// Known once the handshake is over and, without ALPN, the first bytes have come.
        let language: EventLoopFuture<EventLoopFuture<Language>>
        let channel: any Channel
    }

    private let context: NIOSSLContext
    private let verification: TLSChannelConfiguration.CustomVerificationCallback?
    private let http1: HTTP1Wire
    private let http2: HTTP2Wire

    /// - Parameters:
    ///   - tls: What proves the server, and whether the client is asked to prove itself.
    ///   - http1: What handles connections of HTTP/1.1.
    ///   - gate: What counts the streams of HTTP/2.
    /// - Throws: What the settings of TLS are refused for.
    init(
        _ tls: TLSChannelConfiguration, over http1: HTTP1Wire, gate: ConnectionGate
    ) throws {
        var configuration = tls.tlsConfiguration
        configuration.applicationProtocols = NIOHTTP2SupportedALPNProtocols
        context = try NIOSSLContext(configuration: configuration)
        verification = tls.customVerificationCallback
        self.http1 = http1
        http2 = HTTP2Wire(base: http1.base, gate: gate, patience: http1.patience)
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
            let detector = PrefaceDetector(promise) { isHTTP2 in
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

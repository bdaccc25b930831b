import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import PushCore
import TerminalIO

/// Shakes hands with a server, to see its chain and whether it holds; no request follows.
struct ServerProbe {
    /// Whether a chain holds, or why not.
    enum Verdict: Equatable {
        case trusted
        case untrusted(String)
    }

    private let server: Endpoint
    private let settings: TLSConfiguration

    /// The host as a certificate names it; `nil` for an address, which is compared by itself.
    private let name: String?

    init(_ server: Endpoint, authorities: String?) throws(PinFailure) {
        self.server = server
        var settings = TLSConfiguration.makeClientConfiguration()
        settings.minimumTLSVersion = .tlsv12
        if let authorities {
            guard (try? NIOSSLCertificate.fromPEMFile(authorities))?.isEmpty == false else {
                throw PinFailure("There is no certificate in \(printable(authorities)).")
            }
            settings.trustRoots = .file(authorities)
        }
        self.settings = settings
        let isAddress = (try? SocketAddress(ipAddress: server.host, port: server.port)) != nil
        name =
            isAddress
            ? nil : String(server.host.hasSuffix(".") ? server.host.dropLast() : server.host[...])
    }

    /// The certificates in DER, the leaf first, in the order the server sent them.
    func presentedChain() async throws(PinFailure) -> [Data] {
        let seen = Seen()
        do {
            try await shakeHands { context, name in
                try NIOSSLClientHandler(
                    context: context, serverHostname: name,
                    customVerificationCallback: { certificates, promise in
                        seen.set(certificates.compactMap { try? Data($0.toDERBytes()) })
                        promise.succeed(.certificateVerified)
                    })
            }
        } catch {
            // A server that wants a certificate of ours has shown its own by then.
            guard seen.certificates.isEmpty else { return seen.certificates }
            throw PinFailure(Self.explanation(of: error, at: server.authority))
        }
        guard !seen.certificates.isEmpty else {
            throw PinFailure("\(server.authority) presented no certificate.")
        }
        return seen.certificates
    }

    /// Whether the chain holds for this host, by a connection of its own.
    func verdict() async -> Verdict {
        do {
            try await shakeHands { context, name in
                try NIOSSLClientHandler(context: context, serverHostname: name)
            }
            return .trusted
        } catch {
            if case NIOSSLExtraError.failedToValidateHostname? = error as? NIOSSLExtraError {
                return .untrusted("It isn't for \(server.host).")
            }
            if case NIOSSLError.unableToValidateCertificate? = error as? NIOSSLError {
                return .untrusted("It isn't for \(server.host).")
            }
            let reason = Self.reason(of: error)
            return .untrusted(
                reason == "CERTIFICATE_VERIFY_FAILED"
                    ? "No known authority vouches for it, or it is out of date."
                    : "It couldn't be verified: \(reason).")
        }
    }

    private func shakeHands(
        _ handler: @escaping @Sendable (NIOSSLContext, String?) throws -> NIOSSLClientHandler
    ) async throws {
        let context = try NIOSSLContext(configuration: settings)
        let group = MultiThreadedEventLoopGroup.singleton
        let finished = group.next().makePromise(of: Void.self)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: group)
                .connectTimeout(.seconds(10))
                .channelInitializer { [name] channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(handler(context, name))
                        try pipeline.addHandler(HandshakeWatcher(finished))
                    }
                }
                .connect(host: server.host, port: server.port).get()
        } catch {
            finished.fail(error)
            throw error
        }
        let timeout = channel.eventLoop.scheduleTask(in: .seconds(10)) {
            finished.fail(HandshakeFailure.timeout)
        }
        defer {
            timeout.cancel()
            channel.close(promise: nil)
        }
        try await finished.futureResult.get()
    }

    private static func explanation(of error: any Error, at authority: String) -> String {
        switch error {
        case is NIOConnectionError:
            "\(authority) can't be reached: its name isn't known, or nobody listens there."
        case HandshakeFailure.timeout, ChannelError.connectTimeout:
            "\(authority) doesn't answer within 10 seconds."
        case HandshakeFailure.closed:
            "\(authority) hung up: it may not speak TLS 1.2 or newer there."
        default:
            "The TLS handshake with \(authority) failed: \(reason(of: error))."
        }
    }

    /// The name that the TLS library has for an error, without where it found it.
    private static func reason(of error: any Error) -> String {
        let text = String(describing: error)
        guard let mark = text.range(of: "OPENSSL_internal:") else { return printable(text) }
        return printable(String(text[mark.upperBound...].prefix { $0 != " " }))
    }
}

private enum HandshakeFailure: Error {
    case timeout, closed
}

/// What a server presented; a lock guards it, which is why `@unchecked Sendable` is safe.
private final class Seen: @unchecked Sendable {
    private let lock = NSLock()
    private var chain: [Data] = []

    var certificates: [Data] { lock.withLock { chain } }
    func set(_ chain: [Data]) { lock.withLock { self.chain = chain } }
}

/// Tells how a handshake ended.
private final class HandshakeWatcher: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let finished: EventLoopPromise<Void>

    init(_ finished: EventLoopPromise<Void>) {
        self.finished = finished
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { finished.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finished.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finished.fail(HandshakeFailure.closed)
        context.fireChannelInactive()
    }
}

#if os(Linux)
import CPushCurl
public import HTTPTypes
public import PushCore
public import PushTransportRules

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// HTTP over libcurl: the transport for Linux.
///
/// One background thread serves all of a transport's exchanges and keeps connections open for the
/// next; it starts with the first exchange and ends when the transport is deallocated. Keep one
/// transport for as long as you talk to the same servers.
///
/// - HTTP/2 is used where the server offers it over TLS, else HTTP/1.1.
/// - TLS is 1.2 or newer. The peer's certificate and its host are always verified.
/// - The request's scheme, authority and path go out as given, its fields, too; the transport adds
///   only what frames the body. Nothing is decompressed, and no cookie is kept.
/// - A redirect is returned, never followed. Informational replies (1xx) and trailers are dropped.
/// - A proxy is taken from the environment, as libcurl does: `https_proxy`, `http_proxy`,
///   `all_proxy` and `no_proxy`. Plain HTTP to this machine never goes through one.
/// - A server whose host has pins must have a certificate with a pinned key in its verified chain,
///   else the handshake fails as `pinMismatch`, before any byte of the request is sent. Its sessions
///   aren't resumed, so that every connection is checked. A tunnel through an HTTP proxy is checked
///   the same way; a proxy that is itself reached over TLS would have to have a pinned key, too.
/// - libcurl itself also honors `SSLKEYLOGFILE`: a user who sets the environment of a process can
///   read what it sends.
///
/// **Sent once.** When a connection that was kept open breaks before a reply begins, libcurl would
/// send the request again, although the server may have processed it. This transport lets it do so
/// for the safe methods of RFC 9110, section 9.2.1 (`GET`, `HEAD`, `OPTIONS`) alone. Any other
/// request fails as `interrupted`, and whether to repeat it is the caller's decision.
///
/// **Complete replies.** A reply that announces its length, or is chunked, or comes over HTTP/2, is
/// returned whole or not at all. One that merely ends with its connection, as HTTP/1.0 did, can be
/// cut short unnoticed: protocols that still meet it must prove their messages' integrity.
public final class CurlTransport: Transport {
    /// The limits it keeps.
    public let configuration: Configuration

    private let loop: CurlEventLoop

    /// Creates a transport; nothing is opened, read or started before the first exchange.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        loop = CurlEventLoop(maximumConnections: configuration.maximumConnections)
    }

    deinit {
        loop.stop()
    }

    /// Sends a request and returns the whole reply, whatever its status.
    ///
    /// - Parameters:
    ///   - request: The request. Its path starts with a slash; its authority is a host and perhaps
    ///     a port. It must not hold the fields that belong to the connection, such as `Host`.
    ///   - body: The body; empty for none. The transport's own copy is zeroed after the exchange.
    /// - Returns: The reply and its whole body.
    /// - Throws: `PushError` with the codes that `Transport` says: `unreachable`, `interrupted`,
    ///   `untrustedServer`, `pinMismatch`, `oversizedReply`, `insecureRequest` or `cancelled`.
    ///   Where libcurl named a cause, a ``CurlFailure`` is the underlying error.
    public func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let ticket = CurlTicket(
            try CurlRequest(request, body: body, configuration: configuration))
        let reply = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.submit(ticket) { continuation.resume(returning: $0) }
            }
        } onCancel: { [loop] in
            loop.cancel(ticket)
        }
        return try reply.get()
    }
}

extension CurlTransport {
    /// What a transport allows and how long it waits.
    ///
    /// Verification of the server has no switch.
    public struct Configuration: Hashable, Sendable {
        /// Where plain HTTP may go; `refused` by default.
        public var plainHTTP: PlainHTTP

        /// Who may vouch for a server; the system's authorities by default.
        public var certificateAuthorities: CertificateAuthorities

        /// What proves to servers who this client is, where they ask for it; nothing by default.
        public var clientCertificate: ClientCertificate?

        /// Which servers must also show which keys; none by default.
        ///
        /// Plain HTTP to a host with pins is refused, whatever ``plainHTTP`` says.
        public var pins: ServerPins

        /// How long the lookup of a name, the connection and its TLS handshake may take together.
        ///
        /// 10 seconds by default; counted in milliseconds, and never less than one.
        public var connectTimeout: Duration

        /// How long the whole exchange may take.
        ///
        /// 30 seconds by default; counted in milliseconds, and never less than one.
        public var timeout: Duration

        /// The most bytes a reply's body may have; 1 MiB by default.
        ///
        /// A reply's fields, informational replies included, may have 64 KiB.
        public var maximumBodySize: Int

        /// How many connections may be open at once; any number by default.
        ///
        /// Further exchanges wait for one, and their ``timeout`` runs meanwhile.
        public var maximumConnections: Int?

        /// Creates a configuration; each value not given keeps its default.
        public init(
            plainHTTP: PlainHTTP = .refused,
            certificateAuthorities: CertificateAuthorities = .system,
            clientCertificate: ClientCertificate? = nil,
            pins: ServerPins = ServerPins(),
            connectTimeout: Duration = .seconds(10),
            timeout: Duration = .seconds(30),
            maximumBodySize: Int = 1 << 20,
            maximumConnections: Int? = nil
        ) {
            self.plainHTTP = plainHTTP
            self.certificateAuthorities = certificateAuthorities
            self.clientCertificate = clientCertificate
            self.pins = pins
            self.connectTimeout = connectTimeout
            self.timeout = timeout
            self.maximumBodySize = maximumBodySize
            self.maximumConnections = maximumConnections
        }
    }

    /// Who may vouch for a server.
    public enum CertificateAuthorities: Hashable, Sendable {
        /// The authorities that the system's libcurl trusts.
        case system
        /// The certificates in a PEM file, and nobody else.
        case file(String)
    }

    /// What proves to a server who its client is.
    public enum ClientCertificate: Hashable, Sendable {
        /// Two PEM files: the certificate, with those that vouch for it after it, and its private key,
        /// which isn't encrypted.
        case files(certificate: String, key: String)
    }
}

extension Duration {
    /// Whole milliseconds, at least one, at most what every system's `long` holds.
    var timeoutMilliseconds: Int {
        Int(min(max(1, inMilliseconds), 2_000_000_000))
    }
}
#endif

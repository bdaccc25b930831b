// URLSession belongs to all of Foundation. This module ships on Apple's systems, where that is
// part of the system; on Linux it is built for its own tests alone.
public import Foundation
public import HTTPTypes
public import PushCore
public import PushTransportRules

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// HTTP over URLSession: the transport for Apple's systems.
///
/// The session is ephemeral: it keeps no cookie, no cache and no credential, and takes TLS 1.2 or
/// newer, with the system's verification of the server. Proxies are the system's. A redirect is
/// returned, never followed.
///
/// A server whose host has pins must have a certificate with a pinned key in its verified chain,
/// else the handshake fails as `pinMismatch`, before any byte of the request is sent. The system
/// decides when it asks for the check: for a TLS session that it resumes, it may not ask again.
///
/// URLSession is less exact than libcurl, and differs from `CurlTransport` in this:
///
/// - It adds fields of its own, such as `User-Agent`, and joins a reply's fields of one name with
///   commas. A path that it would spell differently is refused.
/// - It doesn't say whether anything was sent before a time-out or a cancellation, so these are
///   `interrupted` once the exchange has started.
/// - It may repeat a request by itself when a connection that was kept open breaks.
public final class URLSessionTransport: Transport {
    /// The limits it keeps.
    public let configuration: Configuration

    private let session: URLSession
    private let delegate: SessionDelegate

    #if canImport(Security)
    /// Creates a transport.
    public convenience init(_ configuration: Configuration = Configuration()) {
        self.init(checked: configuration)
    }
    #else
    /// Creates a transport.
    ///
    /// - Throws: `PushError` with the code `unsupported` if there are pins: here URLSession doesn't
    ///   show a server's chain, so that nothing could check them.
    public convenience init(_ configuration: Configuration = Configuration()) throws(PushError) {
        guard configuration.pins.isEmpty else {
            throw PushError(.unsupported, "URLSession can't check pins on this system.")
        }
        self.init(checked: configuration)
    }
    #endif

    private init(checked configuration: Configuration) {
        self.configuration = configuration
        delegate = SessionDelegate()
        session = URLSession(
            configuration: Self.settings(for: configuration), delegate: delegate,
            delegateQueue: nil)
    }

    deinit {
        session.invalidateAndCancel()
    }

    /// Sends a request and returns the whole reply, whatever its status.
    ///
    /// - Parameters:
    ///   - request: The request. Its path starts with a slash; its authority is a host and perhaps
    ///     a port. It must not hold the fields that belong to the connection, such as `Host`.
    ///   - body: The body; empty for none.
    /// - Returns: The reply and its whole body.
    /// - Throws: `PushError` with the codes that `Transport` says: `unreachable`, `interrupted`,
    ///   `untrustedServer`, `pinMismatch`, `oversizedReply`, `insecureRequest` or `cancelled`.
    ///   Where URLSession named a cause, a ``URLSessionFailure`` is the underlying error.
    public func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let destination = try RequestRules.destination(
            of: request, bodySize: body.count, plainHTTP: configuration.plainHTTP)
        let pins = try configuration.pins.pins(for: destination)
        let task = session.dataTask(
            with: try Self.translate(request, to: destination, body: body))
        let exchange = SessionExchange(
            authority: destination.authority, pins: pins, limit: configuration.maximumBodySize,
            hasBody: request.method != .head)
        let reply = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                delegate.begin(exchange, with: task) { continuation.resume(returning: $0) }
            }
        } onCancel: { [delegate] in
            delegate.cancel(exchange, with: task)
        }
        return try reply.get()
    }

    private static func settings(
        for configuration: Configuration
    ) -> URLSessionConfiguration {
        let settings = URLSessionConfiguration.ephemeral
        settings.httpCookieStorage = nil
        settings.httpCookieAcceptPolicy = .never
        settings.httpShouldSetCookies = false
        settings.urlCache = nil
        settings.urlCredentialStorage = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.timeoutIntervalForRequest = configuration.timeout.timeInterval
        settings.timeoutIntervalForResource = configuration.timeout.timeInterval
        #if !canImport(FoundationNetworking)
        // On Linux URLSession has no such setting.
        settings.tlsMinimumSupportedProtocolVersion = .TLSv12
        #endif
        return settings
    }

    private static func translate(
        _ request: HTTPRequest, to destination: RequestRules.Destination, body: Data
    ) throws(PushError) -> URLRequest {
        // Also without `..`: whether it would go out as given is up to URLSession.
        guard let url = URL(string: destination.url),
            url.standardized.absoluteString == destination.url
        else {
            throw PushError(.insecureRequest, "URLSession can't send the path as it is.")
        }
        var translation = URLRequest(url: url)
        translation.httpMethod = request.method.rawValue
        translation.httpShouldHandleCookies = false
        for field in request.headerFields where field.name != .contentLength {
            translation.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        if !request.headerFields.contains(.acceptEncoding) {
            // Else URLSession asks for compression, and the limit would count what it inflates.
            translation.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        let framesEmptyBody: Set<HTTPRequest.Method> = [.post, .put, .patch]
        if !body.isEmpty || framesEmptyBody.contains(request.method) {
            translation.httpBody = body
        }
        return translation
    }
}

extension URLSessionTransport {
    /// What a transport allows and how long it waits.
    ///
    /// Verification of the server has no switch.
    public struct Configuration: Hashable, Sendable {
        /// Where plain HTTP may go; `refused` by default.
        ///
        /// App Transport Security must allow it as well.
        public var plainHTTP: PlainHTTP

        /// Which servers must also show which keys; none by default.
        ///
        /// Plain HTTP to a host with pins is refused, whatever ``plainHTTP`` says.
        public var pins: ServerPins

        /// How long the whole exchange may take; ``usualTimeout`` by default, and never less than one
        /// millisecond.
        public var timeout: Duration

        /// The most bytes a reply's body may have; 1 MiB by default.
        public var maximumBodySize: Int

        /// Creates a configuration; each value not given keeps its default.
        public init(
            plainHTTP: PlainHTTP = .refused,
            pins: ServerPins = ServerPins(),
            timeout: Duration = Self.usualTimeout,
            maximumBodySize: Int = 1 << 20
        ) {
            self.plainHTTP = plainHTTP
            self.pins = pins
            self.timeout = timeout
            self.maximumBodySize = maximumBodySize
        }

        /// 30 seconds; 8 in an app extension, as a notification service extension lives for about 30
        /// seconds in all, and shows what it has then.
        public static let usualTimeout = usualTimeout(inBundle: Bundle.main.bundlePath)

        static func usualTimeout(inBundle path: String) -> Duration {
            path.hasSuffix(".appex") ? .seconds(8) : .seconds(30)
        }
    }
}

extension Duration {
    /// Seconds, at least a thousandth.
    var timeInterval: TimeInterval { max(0.001, inSeconds) }
}

/// What URLSession said of a failed exchange, without the URL that its own error carries.
public struct URLSessionFailure: Error, Hashable, Sendable {
    /// The number of a `URLError.Code`.
    public let code: Int
}

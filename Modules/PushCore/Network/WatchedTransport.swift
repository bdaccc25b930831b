import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Passes exchanges through, learns from each reply the server's time and whether it wants to be
/// left alone, and reports servers that can't be trusted.
struct WatchedTransport: Transport {
    private let transport: any Transport
    private let clock: any PushClock
    private let pauses: ServerPauses
    private let observer: any PushObserver

    /// Whether the field `Date` of a reply tells its server's time.
    var believesDates = true

    /// Tells a pause that the vendor documents from any other.
    var isDocumentedPause: @Sendable (HTTPResponse, Data) -> Bool = { _, _ in false }

    /// The provider whose exchanges these are.
    var provider: ProviderID? {
        didSet { last = Locked(nil) }
    }

    /// The server that the last request went to: the next one mostly goes there, too.
    private var last = Locked<AskedServer?>(nil)

    private let exchanges: ExchangeCount

    init(
        _ transport: any Transport, clock: any PushClock, pauses: ServerPauses,
        observer: any PushObserver, exchanges: ExchangeCount = ExchangeCount()
    ) {
        self.exchanges = exchanges
        self.transport = transport
        self.clock = clock
        self.pauses = pauses
        self.observer = observer
    }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        defer { exchanges.add() }
        let sent = clock.elapsed
        let reply: (response: HTTPResponse, body: Data)
        do throws(PushError) {
            reply = try await ProviderID.current.withValue(provider) {
                await Result { () async throws(PushError) in
                    try await transport.send(request, body: body)
                }
            }.get()
        } catch {
            report(error.code)
            throw error
        }
        guard let server = server(of: request) else { return reply }
        let received = clock.elapsed
        if believesDates, let date = reply.response.date(near: clock.now) {
            if Self.mayBeStrangers(reply.response.status.code) {
                await clock.serverTime.note(
                    unsignedReadings: date, at: server, sent: sent, received: received)
            } else {
                await clock.serverTime.note(date, at: server, sent: sent, received: received)
            }
        }
        let now = await clock.serverTime.now(at: server, elapsed: received)?.lowerBound
        await pauses.note(
            reply.response, from: server, at: received, now: now,
            isDocumented: reply.response.headerFields[.retryAfter] != nil
                && isDocumentedPause(reply.response, reply.body))
        return reply
    }

    private func server(of request: HTTPRequest) -> Endpoint.ServerID? {
        let (scheme, authority) = (request.scheme ?? "", request.authority ?? "")
        if let last = last.withLock({ $0 }), last.scheme.hasSameBytes(as: scheme),
            last.authority.hasSameBytes(as: authority)
        {
            return last.server
        }
        guard let endpoint = try? Endpoint("\(scheme)://\(authority)") else { return nil }
        let server = Endpoint.ServerID(endpoint, of: provider)
        last.withLock { $0 = AskedServer(scheme: scheme, authority: authority, server: server) }
        return server
    }

    /// A server, and how requests name it.
    private struct AskedServer {
        let scheme: String
        let authority: String
        let server: Endpoint.ServerID
    }

    /// What a gateway or a portal says for its server, too.
    private static func mayBeStrangers(_ status: Int) -> Bool {
        [401, 403, 407].contains(status) || status >= 500
    }

    /// Reported here, so that no caller can forget to, nor swallow it.
    private func report(_ code: PushError.Code) {
        let summary: StaticString
        switch code {
        case .pinMismatch: summary = "No certificate of a server's chain has a pinned key."
        case .untrustedServer: summary = "A server's certificate or host couldn't be trusted."
        default: return
        }
        observer.observe(PushObservation(.security(code), summary, provider: provider))
    }
}

extension ProviderID {
    fileprivate static let current = TaskLocal<ProviderID?>(wrappedValue: nil)

    /// For a transport: the provider that sends the current request, if any.
    public static var sending: ProviderID? { current.get() }
}

#if os(Linux)
import CPushCurl
import Glibc
import PushCore

/// One exchange from its caller's side.
///
/// All but the request is read and written under the lock of its event loop: that is why
/// `@unchecked Sendable` is safe.
final class CurlTicket: @unchecked Sendable {
    let request: CurlRequest
    fileprivate var completion: (@Sendable (CurlEventLoop.Reply) -> Void)?
    fileprivate var isCancelled = false

    init(_ request: CurlRequest) {
        self.request = request
    }
}

/// Runs all exchanges of a transport on one thread of its own, over one multi handle.
///
/// Callers and the thread share ``shared`` alone, under a lock; libcurl's handles belong to the
/// thread, but for the wake-up call, which libcurl allows from anywhere and which is made under
/// the same lock that covers the multi handle's end. That is why `@unchecked Sendable` is safe.
final class CurlEventLoop: @unchecked Sendable {
    typealias Reply = Result<CurlTransfer.Reply, PushError>

    private struct Shared {
        /// Set while the thread runs.
        var multi: UnsafeMutableRawPointer?
        var arrivals: [CurlTicket] = []
        var cancellations: [CurlTicket] = []
        var isStopping = false
    }

    private let lock = ThreadLock()
    private var shared = Shared()
    private let maximumConnections: Int?

    /// - Parameter maximumConnections: How many may be open at once; `nil` for any number.
    init(maximumConnections: Int? = nil) {
        self.maximumConnections = maximumConnections
    }

    /// Starts an exchange, and the thread with the first one.
    ///
    /// It calls `completion` once, on the thread or before this returns.
    func submit(_ ticket: CurlTicket, completion: @escaping @Sendable (Reply) -> Void) {
        let refusal: PushError? = lock.withLock {
            if ticket.isCancelled { return .cancelledBeforeSending }
            if shared.isStopping { return .releasedBeforeSending }
            if shared.multi == nil, let failure = startThread() { return failure }
            ticket.completion = completion
            shared.arrivals.append(ticket)
            curl_multi_wakeup(shared.multi)
            return nil
        }
        if let refusal { completion(.failure(refusal)) }
    }

    /// Aborts an exchange, whether or not it has been submitted yet.
    func cancel(_ ticket: CurlTicket) {
        lock.withLock {
            ticket.isCancelled = true
            guard ticket.completion != nil else { return }
            shared.cancellations.append(ticket)
            curl_multi_wakeup(shared.multi)
        }
    }

    /// Fails what is pending and ends the thread, without waiting for either.
    func stop() {
        lock.withLock {
            shared.isStopping = true
            curl_multi_wakeup(shared.multi)
        }
    }

    /// Called under the lock.
    private func startThread() -> PushError? {
        guard push_curl_prepare() == CURLE_OK, let multi = curl_multi_init() else {
            return PushError(.unreachable, "libcurl can't be used.")
        }
        if let maximumConnections {
            push_curl_limit_connections(multi, max(1, maximumConnections))
        }
        // The thread keeps the loop alive, not the transport, whose end is what ends the thread.
        let context = Unmanaged.passRetained(self)
        shared.multi = multi
        let failure = push_curl_start_thread(
            { context in
                guard let context else { return }
                Unmanaged<CurlEventLoop>.fromOpaque(context).takeRetainedValue().run()
            }, context.toOpaque())
        guard failure == 0 else {
            shared.multi = nil
            curl_multi_cleanup(multi)
            context.release()
            return PushError(.unreachable, "No thread can be started (errno \(failure)).")
        }
        return nil
    }

    // MARK: On the thread

    private func run() {
        guard let multi = lock.withLock({ shared.multi }) else { return }
        var running = CurlTransfers(multi)
        while true {
            let (arrivals, cancellations, isStopping) = lock.withLock {
                let taken = (shared.arrivals, shared.cancellations, shared.isStopping)
                shared.arrivals = []
                shared.cancellations = []
                if taken.2 { shared.multi = nil }
                return taken
            }
            for ticket in arrivals { running.start(ticket, complete) }
            for ticket in cancellations { running.cancel(ticket, complete) }
            if isStopping { break }
            running.advance(complete)
            running.wait()
        }
        running.shutDown(complete)
        curl_multi_cleanup(multi)
    }

    private func complete(_ ticket: CurlTicket, _ reply: Reply) {
        let completion = lock.withLock {
            let completion = ticket.completion
            ticket.completion = nil
            return completion
        }
        completion?(reply)
    }
}
#endif

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
    private let library: String

    /// - Parameters:
    ///   - maximumConnections: How many may be open at once; `nil` for any number.
    ///   - library: The file of libcurl, which is loaded with the first exchange. The number in its
    ///     name stands for an interface that stays.
    init(maximumConnections: Int? = nil, library: String = "libcurl.so.4") {
        self.maximumConnections = maximumConnections
        self.library = library
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
            wakeThread()
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
            wakeThread()
        }
    }

    /// Fails what is pending and ends the thread, without waiting for either.
    func stop() {
        lock.withLock {
            shared.isStopping = true
            wakeThread()
        }
    }

    /// Called under the lock. Before the first exchange there is nobody to wake, nor libcurl.
    private func wakeThread() {
        if let multi = shared.multi { push_curl_multi_wakeup(multi) }
    }

    /// Called under the lock.
    private func startThread() -> PushError? {
        if let failure = loadLibrary() { return failure }
        guard let multi = push_curl_multi_init() else {
            return PushError(.unreachable, "There is no memory for transfers.")
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
            push_curl_multi_cleanup(multi)
            context.release()
            return PushError(.unreachable, "No thread can be started (errno \(failure)).")
        }
        return nil
    }

    /// Loads it for the whole process, unless that is done.
    ///
    /// Where it can't be had nothing was sent, and once it is installed the same exchange may be made.
    private func loadLibrary() -> PushError? {
        var lacking: UnsafePointer<CChar>?
        let finding = push_curl_load(library, &lacking)
        if finding == push_curl_found { return nil }
        let advice = "Install libcurl: on Debian and Ubuntu the package libcurl4."
        if finding == push_curl_missing {
            return PushError(.unreachable, "\(library) isn't there. \(advice)")
        }
        guard let lacking else { return PushError(.unreachable, "\(library) can't be used.") }
        return PushError(
            .unreachable,
            "\(library) has no \(String(cString: lacking)): libcurl 7.80 or a newer one is needed.")
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
        push_curl_multi_cleanup(multi)
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

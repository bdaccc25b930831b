import Foundation  // for URLSession, which needs all of it
import PushCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Hears of every task of one session.
///
/// The lock guards all that changes, exchanges included: that is why `@unchecked Sendable` is safe.
final class SessionDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var exchanges: [Int: SessionExchange] = [:]

    /// Starts an exchange.
    ///
    /// It calls `completion` once, perhaps before this returns.
    func begin(
        _ exchange: SessionExchange, with task: URLSessionDataTask,
        completion: @escaping @Sendable (SessionExchange.Reply) -> Void
    ) {
        let isCancelled = lock.withLock {
            guard !exchange.isCancelled else { return true }
            exchange.completion = completion
            exchanges[task.taskIdentifier] = exchange
            return false
        }
        if isCancelled {
            let reason = "The exchange was cancelled before anything was sent."
            completion(.failure(PushError(.cancelled, reason)))
        } else {
            task.resume()
        }
    }

    /// Aborts an exchange, whether or not it has begun yet.
    func cancel(_ exchange: SessionExchange, with task: URLSessionDataTask) {
        lock.withLock { exchange.isCancelled = true }
        task.cancel()
    }

    // MARK: URLSession's calls

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    #if canImport(Security)
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let exchange = lock.withLock { exchanges[task.taskIdentifier] }
        // A proxy has none of the pins. The system's own verification follows in any case.
        guard let exchange, !exchange.pins.isEmpty, !challenge.protectionSpace.isProxy(),
            let trust = challenge.protectionSpace.serverTrust,
            let fault = PinnedTrust.fault(of: trust, by: exchange.pins)
        else { return completionHandler(.performDefaultHandling, nil) }
        lock.withLock { exchange.fault = fault }
        completionHandler(.cancelAuthenticationChallenge, nil)
    }
    #endif

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let mayGoOn = lock.withLock {
            exchanges[dataTask.taskIdentifier]?.receive(response) ?? false
        }
        completionHandler(.allow)
        if !mayGoOn { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let mayGoOn = lock.withLock {
            exchanges[dataTask.taskIdentifier]?.receive(data) ?? false
        }
        if !mayGoOn { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let ended: (@Sendable () -> Void)? = lock.withLock {
            guard let exchange = exchanges.removeValue(forKey: task.taskIdentifier),
                let completion = exchange.completion
            else { return nil }
            let outcome = exchange.outcome(error)
            return { completion(outcome) }
        }
        ended?()
    }
}

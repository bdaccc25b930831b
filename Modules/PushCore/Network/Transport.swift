public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Makes HTTP exchanges: the seam to the network.
///
/// An implementation follows no redirects, keeps no cookies of its own, and verifies the server's
/// certificate.
public protocol Transport: Sendable {
    /// Sends a request and returns the whole reply, whatever its status.
    ///
    /// Cancelling the task aborts the exchange at once.
    ///
    /// - Parameters:
    ///   - request: The request; its scheme, authority and path are set, and sent verbatim.
    ///   - body: The body; empty for none.
    /// - Returns: The reply and its whole body.
    /// - Throws: ``PushError``: `unreachable` if the server can't have processed the request,
    ///   `interrupted` if it may have, `untrustedServer` if its certificate doesn't hold,
    ///   `pinMismatch` if it has none of the keys that are pinned for the server,
    ///   `oversizedReply`, `insecureRequest`, or `cancelled` if the task was cancelled before
    ///   anything was sent.
    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data)
}

/// Where a transport may send plain HTTP.
public enum PlainHTTP: Hashable, Sendable {
    /// Nowhere.
    case refused
    /// To this machine: `localhost`, `127.0.0.1` and `[::1]`, spelled so.
    case loopbackOnly
    /// Anywhere. Anybody on the way can read and change the bytes.
    case allowed
}

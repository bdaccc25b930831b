#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What is known of each server's clock, by host.
///
/// A server's reply tells its time to the second, at a moment between sending and receiving. Each
/// such sighting bounds the difference between the server's clock and this device's monotonic time.
public actor ServerTime {
    private var bounds: [String: ClosedRange<Double>] = [:]

    /// Creates a table that knows no server.
    public init() {}

    /// Learns from a reply.
    ///
    /// - Parameters:
    ///   - date: The server's time as it wrote it, to the whole second.
    ///   - host: The server.
    ///   - sent: The monotonic time before the request.
    ///   - received: The monotonic time after the reply.
    public func note(_ date: Date, at host: String, sent: Duration, received: Duration) {
        let seconds = date.timeIntervalSince1970
        let low = seconds - received.inSeconds
        let high = max(low, seconds + 1 - sent.inSeconds)
        if let known = bounds[host], known.overlaps(low...high) {
            bounds[host] = known.clamped(to: low...high)
        } else {
            // The first sighting; or the server's clock was set, and what was known is wrong.
            bounds[host] = low...high
        }
    }

    /// Whether a moment has passed at a server.
    ///
    /// - Parameters:
    ///   - expiry: The moment, by the server's clock; `nil` never passes.
    ///   - host: The server; `nil` if it isn't known which.
    ///   - elapsed: The monotonic time now.
    public func validity(
        until expiry: Date?, at host: String?, elapsed: Duration
    ) -> Validity {
        guard let expiry = expiry?.timeIntervalSince1970 else { return .valid }
        guard let bounds = host.flatMap({ bounds[$0] }) else { return .uncertain }
        if expiry < bounds.lowerBound + elapsed.inSeconds { return .expired }
        return expiry >= bounds.upperBound + elapsed.inSeconds ? .valid : .uncertain
    }
}

extension Duration {
    /// The duration in seconds.
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

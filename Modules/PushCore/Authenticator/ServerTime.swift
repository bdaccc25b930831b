#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What is known of each server's clock, by host.
///
/// A server's reply tells its time to the second, at a moment between sending and receiving; what
/// it has signed tells a time that has passed. Each such sighting bounds the difference between the
/// server's clock and this device's monotonic time. Bounds widen as they age, as clocks drift.
public actor ServerTime {
    /// Bounds of the difference in seconds, and when they were learned.
    private struct Sighting {
        var bounds: ClosedRange<Double>
        var learned: Double

        func bounds(at elapsed: Double) -> ClosedRange<Double> {
            let drift = max(0, elapsed - learned) * ServerTime.drift
            return bounds.lowerBound - drift...bounds.upperBound + drift
        }
    }

    /// What a clock may gain or lose in a second: 100 parts per million, twice what quartz does.
    private static let drift = 1e-4

    private var sightings: [String: Sighting] = [:]

    /// What replies said that a stranger before the server may have written.
    private var hearsay: [String: Sighting] = [:]

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
        let (low, high) = Self.bounds(date, sent, received)
        let known = sightings[host]?.bounds(at: received.inSeconds)
        // If they contradict each other, the server's clock was set, and what was known is wrong.
        let bounds = known.flatMap { $0.overlaps(low...high) ? $0.clamped(to: low...high) : nil }
        sightings[host] = Sighting(bounds: bounds ?? low...high, learned: received.inSeconds)
    }

    /// Learns from a reply that may be a gateway's, such as a 401 or a 503.
    ///
    /// It says which time to sign, as a server that refuses a wrong time tells its own this way; but
    /// a gateway whose clock is wrong must not end a challenge, so it's no verdict on expiry.
    public func note(
        hearsay date: Date, at host: String, sent: Duration, received: Duration
    ) {
        let (low, high) = Self.bounds(date, sent, received)
        hearsay[host] = Sighting(bounds: low...high, learned: received.inSeconds)
    }

    private static func bounds(
        _ date: Date, _ sent: Duration, _ received: Duration
    ) -> (low: Double, high: Double) {
        let seconds = date.timeIntervalSince1970
        let low = seconds - received.inSeconds
        return (low, max(low, seconds + 1 - sent.inSeconds))
    }

    /// Learns from something the server has signed: its clock shows at least that time.
    ///
    /// What contradicts the server's own replies is ignored.
    ///
    /// - Parameters:
    ///   - date: When it was made, by the server's clock.
    ///   - host: The server.
    ///   - elapsed: The monotonic time now.
    public func note(issued date: Date, at host: String, elapsed: Duration) {
        let low = date.timeIntervalSince1970 - elapsed.inSeconds
        let known = sightings[host]?.bounds(at: elapsed.inSeconds) ?? -.infinity...(.infinity)
        guard low > known.lowerBound, low <= known.upperBound else { return }
        sightings[host] = Sighting(bounds: low...known.upperBound, learned: elapsed.inSeconds)
    }

    /// The server's time now: the earliest and the latest it can be.
    ///
    /// A provider that signs times uses it, so that a device whose clock is wrong isn't refused.
    ///
    /// - Parameters:
    ///   - host: The server.
    ///   - elapsed: The monotonic time now.
    /// - Returns: `nil` if either is unknown.
    public func now(at host: String, elapsed: Duration) -> ClosedRange<Date>? {
        let newest = [sightings[host], hearsay[host]].compactMap(\.self)
            .max { $0.learned < $1.learned }
        guard let bounds = newest?.bounds(at: elapsed.inSeconds), bounds.lowerBound.isFinite,
            bounds.upperBound.isFinite
        else { return nil }
        let earliest = Date(timeIntervalSince1970: bounds.lowerBound + elapsed.inSeconds)
        return earliest...earliest + (bounds.upperBound - bounds.lowerBound)
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
        guard let sighting = host.flatMap({ sightings[$0] }) else { return .uncertain }
        let bounds = sighting.bounds(at: elapsed.inSeconds)
        if expiry < bounds.lowerBound + elapsed.inSeconds { return .expired }
        return expiry >= bounds.upperBound + elapsed.inSeconds ? .valid : .uncertain
    }

    /// How long it takes at least until a moment has certainly passed at a server.
    ///
    /// - Returns: `nil` if that can't be told.
    func rest(until expiry: Date, at host: String, elapsed: Duration) -> Duration? {
        guard let low = sightings[host]?.bounds(at: elapsed.inSeconds).lowerBound, low.isFinite
        else { return nil }
        let rest = expiry.timeIntervalSince1970 - low - elapsed.inSeconds
        return rest < 1e9 ? .seconds(max(0, rest)) : nil
    }
}

extension Duration {
    /// The duration in seconds.
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

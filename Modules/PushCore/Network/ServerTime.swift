#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What is known of servers' clocks.
///
/// A server's reply tells its time to the second, at a moment between sending and receiving. A
/// signed message tells a time that has passed. Each such reading bounds the difference between the
/// server's clock and this device's monotonic time.
///
/// A reading counts only for its source: a signed time for the enrollment whose vendor signed it,
/// the unsigned field `Date` for one provider at one host and port. A moment has certainly passed
/// only if two readings agree on it.
public actor ServerTime {
    /// How far ahead of all that is known a signed time may be before it isn't believed.
    private static let farAhead = 600.0

    private var signed: [Enrollment.ID: TimeReadings] = [:]
    private var replies: [Endpoint.ServerID: TimeReadings] = [:]

    /// What replies said that a stranger before the server may have written.
    private var unsignedReadings: [Endpoint.ServerID: TimeReadings.Bounds] = [:]

    /// Creates an empty table.
    public init() {}

    // MARK: Learning

    /// Learns from a reply's unsigned field.
    ///
    /// - Parameters:
    ///   - date: The server's time as it wrote it, to the whole second.
    ///   - server: The server.
    ///   - sent: The monotonic time before the request.
    ///   - received: The monotonic time after the reply.
    public func note(_ date: Date, at server: Endpoint.ServerID, sent: Duration, received: Duration)
    {
        replies[server, default: TimeReadings()].take(Self.bounds(date, sent, received))
    }

    /// Learns from a reply that may be a gateway's, such as 401 or 503.
    ///
    /// The device signs with this time, because a server that refuses a wrong time tells its own
    /// this way. It doesn't count for expiry: a gateway with a wrong clock must not end a
    /// challenge.
    public func note(
        unsignedReadings date: Date, at server: Endpoint.ServerID, sent: Duration,
        received: Duration
    ) {
        unsignedReadings[server] = Self.bounds(date, sent, received)
    }

    /// Learns from a time that the vendor has signed, or has sealed for an enrollment's keys.
    ///
    /// - Parameters:
    ///   - date: The time, to the second or finer.
    ///   - enrollment: The enrollment whose key verified it.
    ///   - sent: The monotonic time before the request.
    ///   - received: The monotonic time after the reply.
    public func note(
        signed date: Date, for enrollment: Enrollment.ID, sent: Duration, received: Duration
    ) {
        signed[enrollment, default: TimeReadings()].take(Self.bounds(date, sent, received))
    }

    /// Learns from a message that the vendor has signed: its clock shows at least that time.
    ///
    /// A time more than ten minutes ahead of this device's clock and of what is known isn't
    /// learned. Give each message once: a message that comes again says nothing new.
    func note(
        issued date: Date, for enrollment: Enrollment.ID, at server: Endpoint.ServerID?, now: Date,
        elapsed: Duration
    ) {
        let known = bounds(for: enrollment, at: server, elapsed: elapsed)
        let seconds = date.timeIntervalSince1970
        let latest = known.map(\.upperBound).flatMap { $0.isFinite ? $0 + elapsed.inSeconds : nil }
        let limit = max(now.timeIntervalSince1970, latest ?? -.infinity) + Self.farAhead
        guard seconds <= limit else { return }
        signed[enrollment, default: TimeReadings()]
            .take(passed: seconds - elapsed.inSeconds, learned: elapsed.inSeconds)
    }

    private static func bounds(
        _ date: Date, _ sent: Duration, _ received: Duration
    ) -> TimeReadings.Bounds {
        let seconds = date.timeIntervalSince1970
        let low = seconds - received.inSeconds
        return TimeReadings.Bounds(
            low: low, high: max(low, seconds + 1 - sent.inSeconds), learned: received.inSeconds)
    }

    /// Forgets what was learned for an enrollment: one that is made again under the same name may
    /// be another server's.
    func forget(_ enrollment: Enrollment.ID) {
        signed[enrollment] = nil
    }

    // MARK: Asking

    /// The server's earliest and latest possible time now, by the newest reading, even if no other
    /// agrees.
    ///
    /// A provider signs with it, so that a server doesn't refuse a device with a wrong clock.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - enrollment: The enrollment that asks; its signed readings come first.
    ///   - elapsed: The monotonic time now.
    /// - Returns: The range; `nil` if an end is unknown.
    public func now(
        at server: Endpoint.ServerID?, for enrollment: Enrollment.ID? = nil, elapsed: Duration
    ) -> ClosedRange<Date>? {
        let own = enrollment.flatMap { signed[$0]?.newest }
        let others = server.flatMap {
            [replies[$0]?.newest, unsignedReadings[$0]].compactMap(\.self)
        }
        guard let newest = own ?? others?.max(by: { $0.learned < $1.learned }) else { return nil }
        let bounds = newest.at(elapsed.inSeconds)
        let earliest = Date(timeIntervalSince1970: bounds.lowerBound + elapsed.inSeconds)
        return earliest...earliest + (bounds.upperBound - bounds.lowerBound)
    }

    /// Whether a moment has passed at an enrollment's server.
    ///
    /// - Parameters:
    ///   - expiry: The moment by the server's clock; `nil` never passes.
    ///   - enrollment: The enrollment.
    ///   - server: Its server, if known.
    ///   - elapsed: The monotonic time now.
    /// - Returns: Valid, expired, or uncertain.
    public func validity(
        until expiry: Date?, for enrollment: Enrollment.ID, at server: Endpoint.ServerID?,
        elapsed: Duration
    ) -> Validity {
        guard let expiry = expiry?.timeIntervalSince1970 else { return .valid }
        guard let bounds = bounds(for: enrollment, at: server, elapsed: elapsed) else {
            return .uncertain
        }
        if expiry < bounds.lowerBound + elapsed.inSeconds { return .expired }
        return expiry >= bounds.upperBound + elapsed.inSeconds ? .valid : .uncertain
    }

    /// A moment that has certainly passed at an enrollment's server; `nil` if none is known.
    func passed(
        for enrollment: Enrollment.ID, at server: Endpoint.ServerID?, elapsed: Duration
    ) -> Date? {
        guard let low = bounds(for: enrollment, at: server, elapsed: elapsed)?.lowerBound,
            low.isFinite
        else { return nil }
        return Date(timeIntervalSince1970: low + elapsed.inSeconds)
    }

    /// How long it takes at least until a moment has certainly passed at an enrollment's server;
    /// `nil` if that can't be told.
    func rest(
        until expiry: Date, for enrollment: Enrollment.ID, at server: Endpoint.ServerID?,
        elapsed: Duration
    ) -> Duration? {
        guard let low = bounds(for: enrollment, at: server, elapsed: elapsed)?.lowerBound,
            low.isFinite
        else { return nil }
        let rest = expiry.timeIntervalSince1970 - low - elapsed.inSeconds
        return rest < 1e9 ? .seconds(max(0, rest)) : nil
    }

    /// The bounds of the difference: a lower one that two readings vouch for, and an upper one.
    private func bounds(
        for enrollment: Enrollment.ID, at server: Endpoint.ServerID?, elapsed: Duration
    ) -> ClosedRange<Double>? {
        let now = elapsed.inSeconds
        let own = signed[enrollment]
        let others = server.flatMap { replies[$0] }
        let passed = (own?.passed ?? []).map { $0.at(now).lowerBound }
        if let agreed = (own?.agreed ?? others?.agreed)?.at(now) {
            // Messages that contradict what replies agree on are ignored.
            let second = passed.count > 1 ? passed[1] : -.infinity
            guard agreed.contains(second) else { return agreed }
            return second...agreed.upperBound
        }
        let lone = [own?.lone, others?.lone].compactMap { $0?.at(now) }
        let lows = (passed + lone.map(\.lowerBound)).sorted(by: >)
        guard !lows.isEmpty else { return nil }
        let low = lows.count > 1 ? lows[1] : -.infinity
        return low...max(low, lone.first?.upperBound ?? .infinity)
    }
}

/// Whether a challenge's time has run out, by its server's clock.
public enum Validity: Hashable, Sendable {
    /// There is time left.
    case valid
    /// Its time has run out.
    case expired
    /// Too little is known of the server's clock; the vendor decides.
    case uncertain
}

public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension PushEnvironment {
    /// Sends a request that is signed with a time. If the server refuses it and its own time is far
    /// from the signed one, the request is signed and sent once more with the server's time.
    ///
    /// The first time is the server's if `PushClock.serverTime` knows it, else this device's. So
    /// a wrong clock makes no enrollment seem lost.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - enrollment: The enrollment that asks.
    ///   - tolerance: If the signed time differs from the server's by no more, it isn't the reason
    ///     of a refusal. Less than the vendor allows.
    ///   - isRefused: Whether a reply may refuse the time. The vendor may have the same reply for
    ///     other reasons.
    ///   - send: Signs and sends the request with a time. It runs at most twice.
    /// - Returns: The last reply.
    /// - Throws: `PushError`: what `send` throws.
    public func signingTime<Reply>(
        at server: Endpoint.ServerID, for enrollment: Enrollment.ID, tolerance: Duration,
        isRefused: (Reply) -> Bool, _ send: (Date) async throws(PushError) -> Reply
    ) async throws(PushError) -> Reply {
        let start = clock.elapsed
        let known = await clock.serverTime.middle(at: server, for: enrollment, elapsed: start)
        let signed = known ?? clock.now
        let reply = try await send(signed)
        let elapsed = clock.elapsed
        guard isRefused(reply),
            let theirs = await clock.serverTime.middle(
                at: server, for: enrollment, elapsed: elapsed)
        else { return reply }
        let distance = theirs.timeIntervalSince(signed + (elapsed - start).inSeconds)
        guard abs(distance) > tolerance.inSeconds else { return reply }
        return try await send(theirs)
    }
}

extension ServerTime {
    /// The middle of what the server's time can be now (`now(at:for:elapsed:)`).
    fileprivate func middle(
        at server: Endpoint.ServerID, for enrollment: Enrollment.ID, elapsed: Duration
    ) -> Date? {
        now(at: server, for: enrollment, elapsed: elapsed).map { range in
            range.lowerBound + range.upperBound.timeIntervalSince(range.lowerBound) / 2
        }
    }
}

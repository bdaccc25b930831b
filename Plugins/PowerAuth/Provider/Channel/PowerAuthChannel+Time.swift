import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The server's time, which envelopes and tokens must carry.
extension PowerAuthChannel {
    /// The server's time now, or this device's if nothing is known of that.
    func now() async -> Date {
        await knownTime() ?? environment.clock.now
    }

    /// The middle of what the server's time can be; `nil` if nothing is known of it.
    func knownTime() async -> Date? {
        let clock = environment.clock
        let server = ServerID(configuration.enrollmentServer, of: provider.id)
        guard let bounds = await clock.servers.now(at: server, elapsed: clock.elapsed) else {
            return nil
        }
        let width = bounds.upperBound.timeIntervalSince(bounds.lowerBound)
        return bounds.lowerBound + width / 2
    }

    /// Asks the server for its time, and remembers it for all that is sent later.
    @discardableResult
    func askTime() async throws(PushError) -> Date {
        let sent = environment.clock.elapsed
        let answer = try await plain("/pa/v3/status")
        guard let milliseconds = answer["serverTime"]?.integer,
            0...Date.lastMillisecond ~= milliseconds
        else { throw provider.error(.malformed, "The server doesn't tell its time.") }
        let time = Date(unixMilliseconds: milliseconds)
        await note(time, sent: sent)
        return time
    }

    /// Remembers the server's time, as a reply to a request tells it.
    func note(_ time: Date, sent: Duration) async {
        let clock = environment.clock
        let received = clock.elapsed
        // One server has the time of both.
        let endpoints = [configuration.enrollmentServer, configuration.operationServer]
        for server in Set(endpoints.map { ServerID($0, of: provider.id) }) {
            await clock.servers.note(time, at: server, sent: sent, received: received)
        }
    }
}

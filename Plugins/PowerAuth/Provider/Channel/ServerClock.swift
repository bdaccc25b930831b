import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The server's time, which envelopes and tokens must carry.
///
/// It's told in four places. What an activation's own key has signed or sealed counts for that
/// enrollment: `iat_ms` of a temporary key, and the `timestamp` of an envelope. `serverTime` and
/// `currentTimestamp` are unsigned, and count for the server as a reply's `Date` would.
extension PowerAuthChannel {
    /// How wrong a time may be before a refusal is taken to be about it; servers take up to a
    /// minute.
    private static let tolerance: TimeInterval = 30

    /// The server's time now, or this device's if nothing is known of that.
    ///
    /// - Parameter id: The enrollment that asks; `nil` if there is none yet.
    /// - Returns: The time.
    func now(for id: Enrollment.ID? = nil) async -> Date {
        await knownTime(for: id) ?? environment.clock.now
    }

    /// The middle of what the server's time can be by the newest reading; `nil` if there is none.
    ///
    /// With 3.3 an enrollment's own comes first. Below that its key tells a time only where the
    /// server has taken one before, so the newest of the server's is the one to go by.
    func knownTime(for id: Enrollment.ID? = nil) async -> Date? {
        let clock = environment.clock
        let server = Endpoint.ServerID(configuration.enrollmentServer, of: provider)
        let owner = configuration.version == .v3_3 ? id : nil
        guard
            let bounds = await clock.serverTime.now(at: server, for: owner, elapsed: clock.elapsed)
        else { return nil }
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
        else { throw PushError(.malformed, "The server doesn't tell its time.") }
        let time = Date(unixMilliseconds: milliseconds)
        await note(time, sent: sent)
        return time
    }

    /// Asks for the time after a refusal that a wrong one would explain: the server's clock was
    /// set, or this device was paused, and what was known has gone wrong.
    ///
    /// With 3.3 it is a new temporary key that tells it, as only the activation's own key speaks
    /// against what that has said before.
    ///
    /// - Parameters:
    ///   - time: What the refused request carried.
    ///   - scope: What is sealed or proved.
    ///   - serverKey: The scope's own server key.
    /// - Returns: Whether that was wrong, and is known better now.
    func correctsTime(
        _ time: Date, _ scope: EncryptionScope, _ serverKey: CurvePoint
    ) async -> Bool {
        do throws(PushError) {
            if configuration.version == .v3_3 {
                try await renewKey(scope, serverKey)
            } else {
                try await askTime()
            }
        } catch {
            return false
        }
        let known = await now(for: enrollment(of: scope))
        return abs(known.timeIntervalSince(time)) > Self.tolerance
    }

    /// Lets an enrollment's own readings follow what the server was just asked for: they come first
    /// where there are any.
    func followTime(of account: Account) async {
        guard configuration.version == .v3_3, account.enrollment.state == .active,
            let record = try? account.record, let serverKey = try? record.serverPublicKey
        else { return }
        _ = try? await renewKey(scope(record), serverKey)
    }

    /// The enrollment whose keys a scope is about; `nil` for the application's.
    func enrollment(of scope: EncryptionScope) -> Enrollment.ID? {
        scope.activationID.map { Enrollment.ID($0, of: provider) }
    }

    /// Remembers the server's time as a reply tells it that nobody has signed.
    func note(_ time: Date, sent: Duration) async {
        let clock = environment.clock
        let received = clock.elapsed
        // One server has the time of both.
        let endpoints = [configuration.enrollmentServer, configuration.operationServer]
        for server in Set(endpoints.map { Endpoint.ServerID($0, of: provider) }) {
            await clock.serverTime.note(time, at: server, sent: sent, received: received)
        }
    }

    /// Remembers the server's time as an enrollment's own key vouches for it.
    func note(signed time: Date, for id: Enrollment.ID, sent: Duration) async {
        let clock = environment.clock
        await clock.serverTime.note(signed: time, for: id, sent: sent, received: clock.elapsed)
    }
}

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which servers want to be left alone, and until when (`Retry-After`, RFC 9110, section 10.2.3).
///
/// Only a pause in the form that a vendor documents is the vendor's. Where several processes use
/// one store over a network, it is on record there as well, so that one process's stops all of them
/// (``SharedPause``). Any other may be a gateway's or a maintenance page's: it stays with the
/// process that heard it, for minutes at most, ends with the server's next success, and doesn't
/// hold what the user says.
actor ServerPauses {
    private let store: any CredentialStore
    private let clock: any PushClock
    private let observer: any PushObserver

    /// Whether pauses are on record.
    nonisolated let areShared: Bool

    private var ends: [Endpoint.ServerID: Duration] = [:]

    /// When the pauses end that anybody may have asked for.
    private var strangersEnds: [Endpoint.ServerID: Duration] = [:]

    /// The longest that counts of a pause that anybody may have asked for.
    private static let longestOfStrangers = Duration.seconds(300)

    /// When each server's record was read last.
    private var looks: [Endpoint.ServerID: Duration] = [:]

    /// Each server's record as it was last seen, and since when it's known unchanged.
    private var sights: [Endpoint.ServerID: (revision: Revision, since: Duration)] = [:]

    /// A pause is put on record again only if it grew by more than that, and the record is read
    /// again only after that: many replies may say the same at once.
    private static let grain = Duration.seconds(1)

    init(_ store: any CredentialStore, _ clock: any PushClock, _ observer: any PushObserver) {
        self.store = store
        self.clock = clock
        self.observer = observer
        areShared = store.isShared
    }

    /// What is left of a server's pause, as far as this process knows, or of one in the form that
    /// the vendor documents; `nil` if there is none.
    func rest(at server: Endpoint.ServerID, elapsed: Duration, documented: Bool = false)
        -> Duration?
    {
        let end = max(ends[server] ?? .zero, documented ? .zero : strangersEnds[server] ?? .zero)
        return end > elapsed ? end - elapsed : nil
    }

    // MARK: What a server says

    /// Learns from a reply, which may have the form that the vendor documents for a pause; one
    /// without the field ends nothing, unless it is a success.
    func note(
        _ response: HTTPResponse, from server: Endpoint.ServerID, at elapsed: Duration, now: Date?,
        isDocumented: Bool
    ) async {
        if response.status.kind == .successful { strangersEnds[server] = nil }
        guard let pause = response.pause(at: now, near: clock.now) else { return }
        guard isDocumented else {
            strangersEnds[server] = max(
                strangersEnds[server] ?? .zero, elapsed + min(pause, Self.longestOfStrangers))
            return
        }
        let known = ends[server] ?? .zero
        let end = elapsed + pause
        ends[server] = max(known, end)
        guard areShared, end > max(known, elapsed) + Self.grain else { return }
        do throws(PushError) {
            try await share(pause, of: server)
        } catch {
            report(error, of: server)
        }
    }

    // MARK: What other processes were told

    /// Puts a pause on record, unless a longer one is there.
    private func share(_ pause: Duration, of server: Endpoint.ServerID) async throws(PushError) {
        let key = SharedPause.key(server)
        let shared = SharedPause(since: clock.now, length: pause)
        for _ in 0..<3 {
            // Nothing of a damaged one is needed: the server will say it again.
            let found = try await store.readWhole(key)
            learn(found, of: server)
            let elapsed = clock.elapsed
            if let found, let end = end(of: found, at: server), end >= elapsed + pause { return }
            do throws(PushError) {
                let revision = try await store.write(
                    shared.sealed, for: key, replacing: found?.revision)
                sights[server] = revision.map { ($0, clock.elapsed) }
                return
            } catch  where error.code == .conflict {}
        }
        throw PushError(.conflict, "Others kept changing the record; try again.")
    }

    /// Reads what is on record of a server, unless that was done just now. What can't be read is
    /// reported, and counts for nothing.
    func look(at server: Endpoint.ServerID) async {
        let now = clock.elapsed
        guard areShared, looks[server].map({ now - $0 >= Self.grain }) ?? true else { return }
        looks[server] = now
        do throws(PushError) {
            learn(try await store.readWhole(SharedPause.key(server)), of: server)
        } catch {
            report(error, of: server)
        }
    }

    /// Learns from a server's record, which was read just now.
    func learn(_ found: (value: Secret, revision: Revision)?, of server: Endpoint.ServerID) {
        looks[server] = clock.elapsed
        guard let found else {
            sights[server] = nil
            return
        }
        if sights[server]?.revision != found.revision {
            sights[server] = (found.revision, clock.elapsed)
        }
        guard let end = end(of: found, at: server), end > clock.elapsed else { return }
        ends[server] = max(ends[server] ?? .zero, end)
    }

    /// When a pause ends that is on record; `nil` if the record says none.
    private func end(
        of found: (value: Secret, revision: Revision), at server: Endpoint.ServerID
    ) -> Duration? {
        guard let pause = SharedPause(reading: found.value) else { return nil }
        let elapsed = clock.elapsed
        let sight = sights[server].flatMap { $0.revision == found.revision ? $0.since : nil }
        return pause.end(seenSince: sight ?? elapsed, now: clock.now, elapsed: elapsed)
    }

    private func report(_ error: PushError, of server: Endpoint.ServerID) {
        observer.observe(
            PushObservation(
                .refused(error.code), "A server's pause couldn't be shared with other processes.",
                provider: server.provider))
    }
}

/// A server's pause, as one process tells the others of it.
///
/// Their clocks may differ, and any may lie. So whoever reads it counts its length from when it
/// first saw it, by its own clock, as with leases. The wall clock only shortens that: a pause that
/// began longer ago than its length and the most that two clocks differ has ended.
struct SharedPause: Sendable {
    static let collection = "pause"

    /// A day, in seconds.
    static let longest = 86_400.0

    /// How far the clocks of two machines that share a store may differ before a pause ends too
    /// early.
    private static let clockTolerance = Duration.seconds(300)

    let since: Date
    let length: Duration

    init(since: Date, length: Duration) {
        self.since = since
        self.length = length
    }

    /// Reads a record; `nil` if it is none, or asks for more than any reply may.
    init?(reading sealed: Secret) {
        guard let fields = try? Secret.Record(reading: sealed).fields,
            let since = fields["since"]?.date, let milliseconds = fields["milliseconds"]?.integer,
            (0...Int64(Self.longest * 1000)).contains(milliseconds)
        else { return nil }
        self.since = since
        length = .milliseconds(milliseconds)
    }

    var sealed: Secret {
        Secret.Record(fields: [
            "since": JSON(since), "milliseconds": .integer(length.inMilliseconds),
        ]).sealed
    }

    /// When it ends, by the monotonic clock of a process that has seen it unchanged for a while.
    func end(seenSince seen: Duration, now: Date, elapsed: Duration) -> Duration {
        let age = now.timeIntervalSince(since)
        guard age.isFinite, age > 0 else { return seen + length }
        let most = length.inSeconds + Self.clockTolerance.inSeconds
        return min(seen + length, elapsed + .seconds(max(0, most - age)))
    }

    /// The record of a server, for all devices that one store holds.
    static func key(_ server: Endpoint.ServerID) -> RecordKey {
        RecordKey(
            collection, joining: [server.provider?.rawValue ?? "", server.host, "\(server.port)"])
    }
}

extension RecordKey {
    /// Whether a collection belongs to all devices that one store holds, whatever their scopes.
    package static func isWholeStores(_ collection: String) -> Bool {
        collection == SharedPause.collection
    }
}

import Foundation
import PushCore
import PushSealing

/// What isn't finished of all devices of a fleet, as this process has seen it.
///
/// Nobody owns a device, so what a process leaves when it dies is there for all. A decision that waits for
/// its vendor's word is gone on with at once: its lease keeps what a living process sends. A
/// process judges a challenge that it has seen waiting for a while, unjudged; two that do so at the same
/// time decide it once.
actor Backlog {
    private struct Item: Hashable {
        let scope: String
        let challenge: Challenge.ID
        let isDecided: Bool
    }

    private struct Sight {
        let since: ContinuousClock.Instant
        var isJudged = false
    }

    private let records: any CredentialStore
    private let patience: Duration
    private let judges: Bool
    private let now: @Sendable () -> Date
    private var sights: [Item: Sight] = [:]

    /// - Parameters:
    ///   - records: The whole store.
    ///   - patience: How long a challenge may wait until it is judged here.
    ///   - judges: Whether challenges are judged at all: without a rule they wait for a person.
    ///   - now: The wall clock.
    init(
        _ records: any CredentialStore, patience: Duration, judges: Bool,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.records = records
        self.patience = patience
        self.judges = judges
        self.now = now
    }

    /// Reads what isn't finished, and says what is due now.
    ///
    /// - Parameter isOwn: Whether what is seen for the first time counts as left by this process.
    /// - Returns: The devices for which something is to be sent again, closed or judged, each with the
    ///   challenges to be judged.
    /// - Throws: What a store throws that can't be read.
    func due(
        takingAll isOwn: Bool = false
    ) async throws(PushError) -> [FleetDevice.ID: [Challenge.ID]] {
        let time = ContinuousClock.now
        var seen: [Item: Sight] = [:]
        var due: [FleetDevice.ID: [Challenge.ID]] = [:]
        for found in try await ScopedStore.waiting(in: records) {
            guard let device = FleetDevice.ID(scope: found.scope) else { continue }
            let item = Item(
                scope: found.scope, challenge: found.challenge, isDecided: found.isDecided)
            let sight = sights[item] ?? Sight(since: time)
            seen[item] = sight
            guard !found.isDecided else {
                due[device, default: []] += []
                continue
            }
            // The server's clock judges what has expired. One that hasn't is still to be judged then.
            if let expiry = found.expiry, expiry < now() { due[device, default: []] += [] }
            if judges, !sight.isJudged, isOwn || sight.since.duration(to: time) >= patience {
                due[device, default: []].append(found.challenge)
            }
        }
        sights = seen
        return due
    }

    /// Remembers that challenges were judged here: those that wait then wait for a person.
    func noteJudged(_ challenges: [Challenge.ID], of device: FleetDevice.ID) {
        for challenge in challenges {
            let item = Item(scope: device.scope, challenge: challenge, isDecided: false)
            sights[item]?.isJudged = true
        }
    }

    /// How many there are, and how long this process has seen the oldest.
    var gauges: [Metric: Double] {
        let now = ContinuousClock.now
        let oldest = sights.values.map { $0.since.duration(to: now) }.max() ?? .zero
        return [
            .unfinished: Double(sights.count), .oldestUnfinished: oldest / .seconds(1),
        ]
    }
}

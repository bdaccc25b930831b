#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// When challenges came for an enrollment, and when the user called one an attack.
///
/// It's kept in the store, as an attack by night meets a new process with each push.
actor BurstCounter {
    static let collection = "burst"

    private let core: AuthenticatorCore
    private var bursts = Cache<Enrollment.ID, RecordInHand<Secret>>()

    init(_ core: AuthenticatorCore) {
        self.core = core
    }

    /// Counts a new challenge.
    ///
    /// - Returns: How many came within the window, if that is a burst or the user gave the alarm.
    func count(_ id: Enrollment.ID) async -> Int? {
        guard let burst = core.policies.bursts.burst else { return nil }
        let (count, isAlarmed) = await change(id, burst.window) { times, now in
            // More than what makes a burst needn't be told apart.
            times = Array((times + [now]).suffix(min(max(burst.count, 0), 10_000) + 100))
        }
        return count > burst.count || isAlarmed && count > 0 ? count : nil
    }

    /// The user called a challenge an attack: until the window has passed, each further one is
    /// flagged.
    func alarm(_ id: Enrollment.ID) async {
        guard let burst = core.policies.bursts.burst else { return }
        _ = await change(id, burst.window, isAlarm: true) { _, _ in }
    }

    func forget(_ id: Enrollment.ID) async throws(PushError) {
        bursts[id] = nil
        try await core.environment.store.delete(Self.key(id))
    }

    /// A burst policy that can't be read or written stops no challenge: it's reported, and counts nothing.
    private func change(
        _ id: Enrollment.ID, _ window: Duration, isAlarm: Bool = false,
        _ body: (inout [Date], Date) -> Void
    ) async -> (count: Int, isAlarmed: Bool) {
        let now = core.environment.clock.now
        let isRecent = { (date: Date) in abs(now.timeIntervalSince(date)) < window.inSeconds }
        var state = (count: 0, isAlarmed: false)
        var isUnreadable = false
        do throws(PushError) {
            let (isRepaired, inHand) = try await core.environment.store.replace(
                Self.key(id), from: bursts[id] ?? .absent
            ) { (found) throws(PushError) in
                // What can't be read counts as nothing, as nothing of it is needed.
                let fields = found.flatMap { try? SecretRecord(reading: $0).fields }
                isUnreadable = found != nil && fields == nil
                var times = (fields?["times"]?.array ?? []).compactMap(\.date).filter(isRecent)
                let alarm = isAlarm ? now : fields?["alarm"]?.date
                body(&times, now)
                var new: JSON.Object = ["times": .array(times.map { JSON($0) })]
                new["alarm"] = alarm.map { JSON($0) }
                state = (times.count, alarm.map(isRecent) ?? false)
                return SecretRecord(fields: new).sealed
            }
            bursts[id] = inHand
            if isRepaired || isUnreadable {
                core.report(
                    damaged: .challengeCount, "A count of challenges was damaged; it restarts.",
                    of: id)
            }
        } catch {
            await core.report(
                error.attributed(to: id.provider), "The burst count couldn't be used.")
        }
        return state
    }

    private static func key(_ id: Enrollment.ID) -> RecordKey {
        RecordKey(collection, id)
    }
}

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

    /// A new challenge, counted by a change that isn't made yet.
    struct Counting: Sendable {
        let change: StoreChange
        fileprivate let enrollment: Enrollment.ID
        fileprivate let content: Secret

        /// What ``BurstCounter/count(_:)`` returns.
        let burst: Int?
    }

    init(_ core: AuthenticatorCore) {
        self.core = core
    }

    /// Counts a new challenge.
    ///
    /// - Returns: How many came within the window, if that is a burst or the user gave the alarm.
    func count(_ id: Enrollment.ID) async -> Int? {
        guard let burst = core.configuration.bursts.burst else { return nil }
        let state = await change(id, burst.window) { times, now in
            times = Self.counting(now, among: times, burst)
        }
        return state.burst(burst)
    }

    /// How many came within the window, if that is a burst or the user gave the alarm; it counts nothing.
    func current(_ id: Enrollment.ID) async -> Int? {
        guard let burst = core.configuration.bursts.burst,
            let found = try? await core.environment.store.read(Self.key(id))
        else { return nil }
        let now = core.environment.clock.now
        return Self.changed(found.value, at: now, burst.window) { _ in }.state.burst(burst)
    }

    /// Counts a new challenge by a change that belongs to another commit.
    ///
    /// - Returns: The change; `nil` if there is nothing to count, or only ``count(_:)`` can.
    func counting(_ id: Enrollment.ID) -> Counting? {
        guard let burst = core.configuration.bursts.burst else { return nil }
        let inHand = bursts[id] ?? .absent
        let now = core.environment.clock.now
        let (new, state) = Self.changed(inHand.content, at: now, burst.window) { times in
            times = Self.counting(now, among: times, burst)
        }
        guard !state.isUnreadable else { return nil }
        let change: StoreChange =
            if let revision = inHand.revision {
                .replace(Self.key(id), revision, with: new)
            } else {
                .create(Self.key(id), new)
            }
        return Counting(
            change: change, enrollment: id, content: new, burst: state.burst(burst))
    }

    /// Learns that a change was made, or was refused; the revision is `nil` if it isn't known.
    func note(_ counting: Counting, _ revision: Revision?) {
        bursts[counting.enrollment] = revision.map {
            RecordInHand(content: counting.content, revision: $0)
        }
    }

    /// Learns what was read along with an enrollment's credential.
    func learn(_ id: Enrollment.ID) async {
        guard let memo = RecordMemo.current.get(),
            let found = await memo.take([Self.key(id)], of: core.environment.identity)?.first,
            case .success(let content) = found.content
        else { return }
        bursts[id] =
            content.map { RecordInHand(content: $0.value, revision: $0.revision) } ?? .absent
    }

    /// What is read with an enrollment's credential, where that saves a trip.
    nonisolated func keysBesideCredential(of id: Enrollment.ID) -> [RecordKey] {
        core.configuration.bursts.burst != nil && core.ledger.isIndexed ? [Self.key(id)] : []
    }

    /// Times beyond the limit don't change the verdict, so they aren't kept.
    private static func counting(
        _ now: Date, among times: [Date], _ burst: BurstPolicy.Burst
    ) -> [Date] {
        Array((times + [now]).suffix(min(max(burst.count, 0), 10_000) + 100))
    }

    /// The user called a challenge an attack: until the window has passed, each further one is
    /// flagged.
    func alarm(_ id: Enrollment.ID) async {
        guard let burst = core.configuration.bursts.burst else { return }
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
    ) async -> State {
        let now = core.environment.clock.now
        var state = State()
        do throws(PushError) {
            let (isRepaired, inHand) = try await core.environment.store.replace(
                Self.key(id), from: bursts[id] ?? .absent
            ) { (found) throws(PushError) in
                let new: Secret
                (new, state) = Self.changed(found, at: now, window, isAlarm: isAlarm) { times in
                    body(&times, now)
                }
                return new
            }
            bursts[id] = inHand
            if isRepaired || state.isUnreadable {
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

    private struct State {
        var count = 0
        var isAlarmed = false
        var isUnreadable = false

        func burst(_ burst: BurstPolicy.Burst) -> Int? {
            count > burst.count || isAlarmed && count > 0 ? count : nil
        }
    }

    /// What becomes of a count. What can't be read counts as nothing, as nothing of it is needed.
    private static func changed(
        _ found: Secret?, at now: Date, _ window: Duration, isAlarm: Bool = false,
        _ body: (inout [Date]) -> Void
    ) -> (new: Secret, state: State) {
        let isRecent = { (date: Date) in abs(now.timeIntervalSince(date)) < window.inSeconds }
        let fields = found.flatMap { try? SecretRecord(reading: $0).fields }
        var times = (fields?["times"]?.array ?? []).compactMap(\.date).filter(isRecent)
        let alarm = isAlarm ? now : fields?["alarm"]?.date
        body(&times)
        var new: JSON.Object = ["times": .array(times.map { JSON($0) })]
        new["alarm"] = alarm.map { JSON($0) }
        let state = State(
            count: times.count, isAlarmed: alarm.map(isRecent) ?? false,
            isUnreadable: found != nil && fields == nil)
        return (SecretRecord(fields: new).sealed, state)
    }

    private static func key(_ id: Enrollment.ID) -> RecordKey {
        RecordKey(collection, id)
    }
}

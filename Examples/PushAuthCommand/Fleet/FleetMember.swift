import PushCore

/// One process of a fleet, as the others see it: its heartbeat, and for which devices it has something
/// to do.
///
/// The others take up what it leaves when it dies. They judge that by their own clocks: a process is dead
/// once its heartbeat has been seen unchanged for a while.
actor FleetMember {
    /// How long a heartbeat may stand still.
    static let patience = Duration.seconds(30)

    private static let members = "fleet/members"
    private static let marks = "fleet/busy"

    /// What this process is called; one that starts again under its name goes on at once.
    nonisolated let instance: String
    private let records: any CredentialStore
    private var heartbeat: Revision?
    private var beats: UInt64 = 0
    private var own: Set<FleetDevice.ID> = []

    /// What was seen of the others, and since when.
    private var sights: [String: (revision: Revision?, since: ContinuousClock.Instant)] = [:]

    init(_ records: any CredentialStore, instance: String) {
        self.records = records
        self.instance = instance
    }

    /// A device that a process had something to do for, and that process is dead.
    struct Orphan: Sendable {
        let device: FleetDevice.ID
        fileprivate let key: RecordKey
        fileprivate let revision: Revision
        /// Whether it was this process, before it started again.
        let isOwn: Bool
    }

    /// Says that this process lives.
    func beat() async throws(PushError) {
        beats += 1
        let key = RecordKey(Self.members, instance)
        let value = Secret(copying: "\(beats)")
        do throws(PushError) {
            heartbeat = try await records.write(value, for: key, replacing: heartbeat)
        } catch  where error.code == .conflict {
            heartbeat = try await records.read(key)?.revision
            heartbeat = try await records.write(value, for: key, replacing: heartbeat)
        }
    }

    /// Notes that this process has something to do for a device, before it begins.
    func mark(_ device: FleetDevice.ID) async throws(PushError) {
        do throws(PushError) {
            try await records.write(
                Secret(copying: instance), for: key(device), replacing: nil)
        } catch  where error.code == .conflict {}
        own.insert(device)
    }

    /// Takes that back. What can't be taken back is taken up by somebody who finds nothing to do.
    func unmark(_ device: FleetDevice.ID) async {
        own.remove(device)
        let key = key(device)
        if let found = try? await records.read(key) {
            _ = try? await records.write(nil, for: key, replacing: found.revision)
        }
    }

    /// Ends the heartbeat.
    func leave() async {
        for device in own { await unmark(device) }
        guard let heartbeat else { return }
        _ = try? await records.write(
            nil, for: RecordKey(Self.members, instance), replacing: heartbeat)
    }

    /// The devices that nobody living looks after any more, in no order.
    func orphans() async throws(PushError) -> [Orphan] {
        let now = ContinuousClock.now
        var seen: Set<String> = []
        var living: Set<String> = []
        for record in try await all(in: Self.members) {
            guard case .success(let content?) = record.content else { continue }
            let name = record.key.name
            seen.insert(name)
            if isAlive(name, at: content.revision, now) { living.insert(name) }
        }
        var orphans: [Orphan] = []
        for record in try await all(in: Self.marks) {
            guard case .success(let content?) = record.content,
                let slash = record.key.name.firstIndex(of: "/"),
                let device = FleetDevice.ID(hex: String(record.key.name[..<slash]))
            else { continue }
            let owner = String(record.key.name[record.key.name.index(after: slash)...])
            if owner == instance ? own.contains(device) : living.contains(owner) { continue }
            // One that has no heartbeat was perhaps seen between two words of its own.
            if owner != instance, !seen.contains(owner) {
                seen.insert(record.key.name)
                if isAlive(record.key.name, at: content.revision, now) { continue }
            }
            orphans.append(
                Orphan(
                    device: device, key: record.key, revision: content.revision,
                    isOwn: owner == instance))
        }
        sights = sights.filter { seen.contains($0.key) }
        return orphans.shuffled()
    }

    /// Strikes a mark, once this process has one of its own.
    func strike(_ orphan: Orphan) async {
        guard !orphan.isOwn || !own.contains(orphan.device) else { return }
        _ = try? await records.write(nil, for: orphan.key, replacing: orphan.revision)
    }

    private func isAlive(
        _ name: String, at revision: Revision, _ now: ContinuousClock.Instant
    ) -> Bool {
        if name == instance { return true }
        guard let sight = sights[name], sight.revision == revision else {
            sights[name] = (revision, now)
            return true
        }
        return sight.since.duration(to: now) < Self.patience
    }

    private func all(in collection: String) async throws(PushError) -> [StoredRecord] {
        var records: [StoredRecord] = []
        while true {
            let page = try await self.records.page(
                of: collection, after: records.last?.key.name, limit: 250)
            records += page.records
            if page.isLast || page.records.isEmpty { return records }
        }
    }

    private func key(_ device: FleetDevice.ID) -> RecordKey {
        RecordKey(Self.marks, "\(device.hex)/\(instance)")
    }
}

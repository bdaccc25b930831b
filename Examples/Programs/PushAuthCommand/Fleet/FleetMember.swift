import PushCore

/// One process of a fleet, as the others see it: a heartbeat under its name.
///
/// Whether another one lives is judged by this process's own clock: it is dead once its heartbeat has been
/// seen unchanged for a while. Nothing depends on that but who asks the vendors' lists.
actor FleetMember {
    /// How often a heartbeat is written.
    static let pace = Duration.seconds(10)

    /// How long a heartbeat may stand still.
    private static let patience = Duration.seconds(30)

    /// How long until the heartbeat of a dead process is taken away.
    private static let burial = Duration.seconds(600)

    private static let members = "fleet/members"

    /// What this process is called; one that starts again under its name goes on with what it left.
    nonisolated let instance: String
    private let records: any CredentialStore
    /// The names of the intakes that this process has.
    private let intakes: [String]
    private var heartbeat: Revision?
    private var beats: UInt64 = 0

    /// Why the last heartbeat couldn't be written.
    private var failure: PushError?

    /// The heartbeats of the others, and since when each has stood so.
    private var sights: [String: (revision: Revision, since: ContinuousClock.Instant)] = [:]

    init(_ records: any CredentialStore, instance: String, intakes: [String] = []) {
        self.records = records
        self.intakes = intakes
        self.instance = instance
    }

    /// Says that this process lives.
    ///
    /// - Throws: `PushError` with the code `conflict` if another process of its name does so, too; what
    ///   a store throws.
    func beat() async throws(PushError) {
        do throws(PushError) {
            try await writeBeat()
            failure = nil
        } catch  where error.code == .conflict {
            failure = nil
            throw error
        } catch {
            failure = error
            throw error
        }
    }

    private func writeBeat() async throws(PushError) {
        let key = RecordKey(Self.members, instance)
        beats += 1
        let value = Secret(copying: (["\(beats)"] + intakes).joined(separator: " "))
        // After one whose fate is unknown, its own may be what is found.
        let isKnown = failure == nil && heartbeat != nil
        do throws(PushError) {
            heartbeat = try await records.write(value, for: key, replacing: heartbeat)
        } catch  where error.code == .conflict {
            heartbeat = try await records.read(key)?.revision
            heartbeat = try await records.write(value, for: key, replacing: heartbeat)
            // What a process before this one left is found once.
            guard !isKnown else { throw error }
        }
    }

    /// Refuses while the last heartbeat couldn't be written: then no push can be put on record, either.
    ///
    /// - Throws: `PushError`, what the store threw.
    func requireWriting() throws(PushError) {
        if let failure { throw failure }
    }

    /// The names of the intakes that processes of a fleet have, some of which may have died lately; `nil`
    /// if none is on record.
    static func intakes(in records: any CredentialStore) async throws(PushError) -> Set<String>? {
        let names = try await records.names(in: members)
        guard !names.isEmpty else { return nil }
        var intakes: Set<String> = []
        for record in try await records.read(all: names.map { RecordKey(members, $0) }) {
            guard case .success(let content?) = record.content else { continue }
            intakes.formUnion(
                content.value.copiedText().split(separator: " ").dropFirst().map(String.init))
        }
        return intakes
    }

    /// Ends the heartbeat.
    func leave() async {
        guard let heartbeat else { return }
        // What stays is taken for dead soon.
        _ = try? await records.write(
            nil, for: RecordKey(Self.members, instance), replacing: heartbeat)
    }

    /// The processes that live, with this one.
    func living() async throws(PushError) -> [String] {
        let now = ContinuousClock.now
        var living = [instance]
        var seen: Set<String> = []
        let others = try await records.names(in: Self.members).filter { $0 != instance }
        for record in try await records.read(all: others.map { RecordKey(Self.members, $0) }) {
            guard case .success(let content?) = record.content else { continue }
            let name = record.key.name
            seen.insert(name)
            let since: ContinuousClock.Instant
            if let sight = sights[name], sight.revision == content.revision {
                since = sight.since
            } else {
                since = now
                sights[name] = (content.revision, now)
            }
            if since.duration(to: now) < Self.patience { living.append(name) }
            if since.duration(to: now) > Self.burial {
                // If it beats all the same, that wins.
                _ = try? await records.write(nil, for: record.key, replacing: content.revision)
            }
        }
        sights = sights.filter { seen.contains($0.key) }
        return living
    }
}

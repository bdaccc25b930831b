import PushCore
import PushTesting
import StoreTrials
import Testing

/// The trials themselves find what a store does wrong.
struct TrialTests {
    /// A store that breaks its word now and then, or never. The first two that read meet.
    private struct LyingStore: CredentialStore {
        enum Lie: CaseIterable { case loses, refusesWhatItWrote, doubles, throwsStrangely }

        let lie: Lie?
        let base = InMemoryStore()
        /// How often it lied about a list that was there before.
        let lies = Locked(0)
        private let reads = Locked(0)
        private let second = Gate()

        init(lie: Lie?) { self.lie = lie }

        func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)?
        {
            let found = try await base.read(key)
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            if number == 1 { await second.pass() }
            if number == 2 { await second.open() }
            return found
        }

        func names(
            in collection: String, waiting: Bool, after name: String?, limit: Int
        ) async throws(PushError) -> NamePage {
            try await base.names(in: collection, waiting: waiting, after: name, limit: limit)
        }

        func discard(_ key: RecordKey) async throws(PushError) { try await base.discard(key) }

        func write(
            _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
        ) async throws(PushError) -> Revision? {
            guard let lie, let value, revision != nil, Int.random(in: 0..<5) == 0 else {
                return try await base.write(value, for: key, replacing: revision, waits: waits)
            }
            defer { lies.withLock { $0 += 1 } }
            switch lie {
            case .loses: return Revision(1)
            case .refusesWhatItWrote:
                try await base.write(value, for: key, replacing: revision, waits: waits)
                throw PushError(.conflict, "It wasn't.")
            case .doubles:
                return try await base.write(
                    doubled(value), for: key, replacing: revision, waits: waits)
            case .throwsStrangely: throw PushError(.interrupted, "No store throws that.")
            }
        }

        private func doubled(_ value: Secret) -> Secret {
            let bytes = value.withBytes { Array($0) }
            let mark = bytes.dropLast().lastIndex(of: UInt8(ascii: ";")).map { $0 + 1 } ?? 0
            return Secret(bytes + bytes[mark...])
        }
    }

    @Test func `a sound store breaks nothing`() async throws {
        let store = LyingStore(lie: nil)
        // Two write the one list after the same reading, so one of them is refused.
        let tally = try await AppendTrial(
            Array(repeating: store, count: 4), witness: store, lists: 1
        ).run { progress in try await progress.more(50) }
        #expect(tally.broken == 0 && tally.unknown == 0)
        #expect(tally.acknowledged > 10 && tally.refused > 0)
    }

    @Test(arguments: LyingStore.Lie.allCases)
    private func `a store that lies is found out`(lie: LyingStore.Lie) async throws {
        let store = LyingStore(lie: lie)
        let tally = try await AppendTrial(
            Array(repeating: store, count: 4), witness: store, lists: 2
        ).run { _ in
            // A lie about a write that would have been refused is none.
            while store.lies.withLock({ $0 }) < 20 { try await Task.sleep(for: .milliseconds(10)) }
        }
        let found =
            switch lie {
            case .loses: tally.lost
            case .refusesWhatItWrote: tally.refusedButThere
            case .doubles: tally.doubled
            case .throwsStrangely: tally.strange.count
            }
        #expect(found > 0, "\(tally)")
    }

    /// A store that takes every write: then two decisions of one challenge can both be made.
    private struct BlindStore: CredentialStore {
        let base = InMemoryStore()

        func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)?
        {
            try await base.read(key)
        }

        func names(
            in collection: String, waiting: Bool, after name: String?, limit: Int
        ) async throws(PushError) -> NamePage {
            try await base.names(in: collection, waiting: waiting, after: name, limit: limit)
        }

        func discard(_ key: RecordKey) async throws(PushError) { try await base.discard(key) }

        func write(
            _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
        ) async throws(PushError) -> Revision? {
            while true {
                do throws(PushError) {
                    return try await base.write(
                        value, for: key, replacing: try await base.read(key)?.revision,
                        waits: waits)
                } catch  where error.code == .conflict {
                    continue
                }
            }
        }
    }

    @Test func `over a store without compare-and-set the trial of decisions finds two`()
        async throws
    {
        let store = BlindStore()
        let tally = try await DecisionTrial(Array(repeating: store, count: 4)).run(for: .seconds(2))
        let isBroken =
            tally.twoDecisions > 0 || !tally.wrongWords.isEmpty
            || tally.newFor != [1: tally.challenges]
        #expect(isBroken, "\(tally)")
    }

    @Test func `over a sound store the trial of decisions finds one`() async throws {
        let store = InMemoryStore(isShared: true)
        let tally = try await DecisionTrial(Array(repeating: store, count: 4)).run(for: .seconds(2))
        #expect(tally.challenges >= 4)
        #expect(tally.twoDecisions == 0 && tally.unanswered == 0, "\(tally)")
        #expect(tally.wrongWords == [], "\(tally)")
        #expect(tally.newFor == [1: tally.challenges])
    }
}

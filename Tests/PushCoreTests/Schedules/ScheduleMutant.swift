import Foundation
import HTTPTypes
import PushTesting

@testable import FictionalVendor
@testable import PushCore

/// Something deliberately broken in all processes of a schedule, and the rule that finds it.
enum ScheduleMutant: String, CaseIterable, Sendable {
    /// The store writes whatever the record's revision is.
    case ignoresRevisions
    /// The store takes another's write for its own.
    case takesConflictForSuccess
    /// The store takes a write of which nobody knows for made.
    case takesUnknownForSuccess
    /// The store says that it wrote a decision, and didn't.
    case dropsDecisions
    /// The store writes a decision only once something was sent.
    case writesLate
    /// The store returns the value before the last one, with the last one's revision.
    case returnsOldValues
    /// The store forgets decisions without a word.
    case forgetsDecisions
    /// The store doesn't remember what waits.
    case losesMarks
    /// The network takes a lost request for one that the vendor has taken.
    case guessesDelivery
    /// The provider's counter stands still.
    case standsStill
    /// The provider sends another decision than the user's.
    case altersDecisions

    /// What it breaks.
    var rule: ScheduleRules.Rule {
        switch self {
        case .ignoresRevisions, .takesConflictForSuccess: .oneDecision
        case .returnsOldValues, .standsStill: .oneAnswerForACounter
        case .takesUnknownForSuccess, .dropsDecisions, .writesLate, .altersDecisions: .onRecordFirst
        case .forgetsDecisions, .losesMarks, .guessesDelivery: .noneForgotten
        }
    }

    /// A scenario in which it is found.
    var scenario: Scenario {
        switch self {
        case .ignoresRevisions, .takesConflictForSuccess: .yesAndNo
        case .returnsOldValues, .standsStill: .twoChallengesMixed
        case .takesUnknownForSuccess, .dropsDecisions, .writesLate, .altersDecisions: .yes
        case .forgetsDecisions, .losesMarks, .guessesDelivery: .takenOver
        }
    }

    /// What is wrong with the provider.
    var flaw: Acme.Options.Flaw? {
        switch self {
        case .standsStill: .forgetsCounters
        case .altersDecisions: .altersDecisions
        default: nil
        }
    }

    /// A process's way to the store and to the vendor.
    func seams(
        _ store: some CredentialStore, _ transport: some Transport, _ past: RecordsBefore
    ) -> (store: any CredentialStore, transport: any Transport) {
        let store = MutatedStore(mutant: self, behind: store, past: past)
        return (store, MutatedTransport(mutant: self, behind: transport, store: store))
    }
}

/// What the records of a schedule held before their last write.
actor RecordsBefore {
    private var values: [RecordKey: Secret] = [:]

    subscript(key: RecordKey) -> Secret? { values[key] }

    func note(_ value: Secret?, for key: RecordKey) { values[key] = value }
}

/// A way to the store that does what the mutant does.
struct MutatedStore: CredentialStore {
    private typealias LateWrite = (value: Secret, key: RecordKey, revision: Revision?)

    let mutant: ScheduleMutant
    let behind: any CredentialStore
    let past: RecordsBefore
    private let late = Locked<[LateWrite]>([])

    init(mutant: ScheduleMutant, behind: some CredentialStore, past: RecordsBefore) {
        self.mutant = mutant
        self.behind = behind
        self.past = past
    }

    var isShared: Bool { behind.isShared }

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        guard let found = try await behind.read(key) else { return nil }
        switch mutant {
        case .returnsOldValues: return (await past[key] ?? found.value, found.revision)
        case .forgetsDecisions: return (found.value.withoutDecisions ?? found.value, found.revision)
        default: return found
        }
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        // It can't be the revision of anything.
        let pretended = Revision(.max)
        let decides = waits && value?.withoutDecisions != nil
        if mutant == .dropsDecisions, decides { return pretended }
        if mutant == .writesLate, decides, let value {
            late.withLock { $0.append((value, key, revision)) }
            return pretended
        }
        var revision = revision
        if mutant == .ignoresRevisions { revision = try await behind.read(key)?.revision }
        if mutant == .returnsOldValues {
            await past.note(try await behind.read(key)?.value, for: key)
        }
        do throws(PushError) {
            return try await behind.write(
                value, for: key, replacing: revision, waits: waits && mutant != .losesMarks)
        } catch {
            let taken: PushError.Code? =
                switch mutant {
                case .takesConflictForSuccess: .conflict
                case .takesUnknownForSuccess: .storageUnknown
                default: nil
                }
            guard error.code == taken else { throw error }
            return pretended
        }
    }

    /// Writes what was put off.
    func catchUp() async {
        let late = late.withLock { late in
            defer { late = [] }
            return late
        }
        for (value, key, revision) in late {
            _ = try? await behind.write(value, for: key, replacing: revision, waits: true)
        }
    }

    func discard(_ key: RecordKey) async throws(PushError) { try await behind.discard(key) }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await behind.names(in: collection, waiting: waiting, after: name, limit: limit)
    }
}

/// A way to the vendor that does what the mutant does.
struct MutatedTransport: Transport {
    let mutant: ScheduleMutant
    let behind: any Transport
    let store: MutatedStore

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        do throws(PushError) {
            let reply = try await behind.send(request, body: body)
            await store.catchUp()
            return reply
        } catch {
            guard mutant == .guessesDelivery, error.code == .interrupted else { throw error }
            return AcmeServer(.init()).seal(.init(200), for: "ada")
        }
    }
}

extension Secret {
    /// An enrollment's record without the decisions that wait; `nil` if it has none.
    fileprivate var withoutDecisions: Secret? {
        guard let document = try? EnrollmentDocument(reading: self) else { return nil }
        let kept = document.rows.slots.filter { slot in
            var slot = slot
            let row = try? slot.row()
            return row?.decided == nil || row?.outcome != nil
        }
        guard kept.count < document.rows.slots.count else { return nil }
        return try? document.with(kept).sealed
    }
}

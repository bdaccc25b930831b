import Foundation
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// Many processes that start at once over a store in which much is over.
@Suite(.timeLimit(.minutes(5))) struct HerdTests {
    private let shared = InMemoryStore(isShared: true)

    /// Puts challenges on record that were answered lately, of twenty other enrollments, as
    /// answering leaves them.
    private func finish(_ count: Int) async throws {
        let documents = Documents(shared, SystemRandom())
        for user in 0..<20 {
            let id = Enrollment.ID("u\(user)", of: "acme")
            let enrollment = Enrollment(id: id, state: .active, created: morning)
            let hand = try await documents.create(
                EnrollmentHead(enrollment), Secret.Record(fields: [:], secrets: [secret("key")]))
            try await hand.change { (document) throws(PushError) in
                for number in stride(from: user, to: count, by: 20) {
                    try document.finish(Challenge.ID("\(number)", of: id))
                }
            }
        }
    }

    /// Decides challenges whose answers never left.
    private func decide(
        _ count: Int, _ harness: AuthenticatorHarness, at machine: Machine
    ) async throws {
        let ledger = Ledger(store: shared, clock: harness.clock)
        for number in 0..<count {
            let id = Challenge.ID.ada("waiting \(number)")
            _ = try await machine.authenticator.receive(try AcmeWire.ask(id.name))
            let bytes = AcmeWire.answer(
                ["id": .string(id.name), "choice": "deny:unexpected"], key: AcmeWire.key(of: "ada"))
            let answer = LedgerRow.DecidedAnswer(
                .deny(.unexpected), Answer(Secret(bytes.utf8), kept: .whole))
            _ = try await ledger.decide(id, answer, again: false, length: .zero)
        }
    }

    @Test func `ten that start at once read no more than a hundred times, whatever is over`()
        async throws
    {
        let harness = AuthenticatorHarness(store: shared)
        let first = try harness.machine("first")
        _ = try await first.authenticator.join("ada")
        _ = try await first.authenticator.resume()
        let finished =
            ProcessInfo.processInfo.environment["PUSH_AUTH_HERD"].flatMap { Int($0) } ?? 2000
        try await finish(finished)
        try await decide(20, harness, at: first)
        // The next day.
        let machines = try (0..<10).map {
            try harness.machine("\($0)", clock: ManualClock(morning + 86_400))
        }
        await withTaskGroup(of: Void.self) { group in
            for machine in machines {
                group.addTask { _ = try? await machine.authenticator.resume() }
            }
        }
        var (reads, writes) = (0, 0)
        for machine in machines {
            writes += await machine.store.durableTrips
            reads += await machine.store.trips - machine.store.durableTrips
        }
        print("\(finished) over, 20 decided, 10 processes: \(reads) reads, \(writes) writes")
        #expect(reads <= 100)
        for number in 0..<20 {
            #expect(await harness.server.choices(for: "waiting \(number)") == ["deny:unexpected"])
        }
        #expect(try await first.authenticator.unfinishedRecords().isEmpty)
    }
}

extension EnrollmentDocument {
    /// A challenge that was announced and answered.
    fileprivate mutating func finish(_ id: Challenge.ID) throws(PushError) {
        let decided = LedgerRow.DecidedAnswer(.approve, Answer(Secret([1]), kept: .nothing))
        let notice = Notice(id: id, expiry: morning + 60, proof: .mac)
        let rules = DocumentRules(
            now: morning, passed: nil, limits: Retention(), isSingleUse: false)
        _ = try change(id, by: rules) { (row) throws(PushError) in
            _ = try row.announce(Announcement(notice, context: Secret([1])))
            _ = try row.decide(decided, again: false, length: .zero)
            _ = row.settle(decided, .delivered, at: morning, isSingleUse: false)
        }
    }
}

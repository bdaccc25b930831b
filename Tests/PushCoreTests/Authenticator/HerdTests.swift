import Foundation
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// Many processes that start at once over a store in which much is over.
@Suite(.timeLimit(.minutes(5))) struct HerdTests {
    private let shared = InMemoryStore([.atomic, .shared])

    /// Puts rows on record that were answered lately, of other enrollments, as answering leaves them.
    private func finish(_ count: Int) async throws {
        for number in 0..<count {
            let id = Challenge.ID("\(number)", of: Enrollment.ID("u\(number / 100)", of: "acme"))
            let seen = morning - Double(number % 20) * 86_400
            let notice = Notice(id: id, expiry: seen + 60, proof: .mac)
            let row = LedgerRow(
                recorded: id, seen: seen, announcement: Announcement(notice, context: Secret([1])),
                decided: .init(.approve, Answer(Secret([1]), kept: .nothing)), outcome: .delivered,
                finished: seen)
            try await shared.commit([
                .create(Ledger.key(id), row.sealed), OverEntry.creation(of: row, at: seen),
            ])
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
        // The next day, as the first that starts then has most to do.
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

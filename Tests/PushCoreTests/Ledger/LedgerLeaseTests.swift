import Foundation
import PushTesting
import Testing

@testable import PushCore

/// Whose word counts when a lease has passed to another process.
struct LedgerLeaseTests {
    private let clock = ManualClock(morning)
    private let ledger: Ledger
    private let id = Challenge.ID.ada("1")
    private let length = Duration.seconds(40)
    private let wrong = Outcome.notTaken(.init(.wrongChoice, mayRetry: true))

    init() {
        ledger = Ledger(store: InMemoryStore(), clock: clock)
    }

    private func decided(by owner: String, kept: Answer.Kept.Form = .whole)
        -> LedgerRow.DecidedAnswer
    {
        LedgerRow.DecidedAnswer(
            .choose("12"), Answer(secret("12"), kept: Answer.Kept(kept, part: secret("1"))),
            lease: LedgerRow.Lease(owner: owner, since: clock.now))
    }

    private func opened() async throws {
        let notice = Notice(id: id, proof: .mac)
        _ = try await ledger.open(Announcement(notice, context: secret("c")))
    }

    @Test(arguments: [Answer.Kept.Form.whole, .part, .nothing])
    func `a wrong-choice word opens nothing while another process's copy is on the way`(
        kept: Answer.Kept.Form
    ) async throws {
        try await opened()
        let first = decided(by: "one", kept: kept)
        _ = try await ledger.decide(id, first, again: false, length: length)
        clock.advance(by: .seconds(41))
        let lease = LedgerRow.Lease(owner: "two", since: clock.now)
        guard
            case .taken(let second, hasArrived: true) = try await ledger.claim(
                id, for: lease, length: length
            ).claim
        else {
            Issue.record("The lease hasn't passed.")
            return
        }
        guard case .unknown = try await ledger.settle(id, first, wrong, isSingleUse: false)
        else {
            Issue.record("The first process's word counted.")
            return
        }
        #expect(try await ledger.row(id)?.state == .decided(.choose("12")))
        #expect(try await ledger.settle(id, second, wrong, isSingleUse: false) == wrong)
        #expect(try await ledger.row(id)?.state == .open)
    }

    @Test(arguments: [true, false])
    func `a challenge that was withdrawn while a wrong choice was on its way is forgotten`(
        isSingleUse: Bool
    ) async throws {
        try await opened()
        let decided = decided(by: "one")
        _ = try await ledger.decide(id, decided, again: false, length: length)
        _ = try await ledger.close(
            Withdrawal(id, .cancelled), isSingleUse: isSingleUse)
        #expect(try await ledger.row(id)?.announcement?.context.count == 1)
        _ = try await ledger.settle(id, decided, wrong, isSingleUse: isSingleUse)
        #expect(try await ledger.row(id)?.state == .over(Withdrawal(id, .cancelled)))
        let kept = try await ledger.row(id)?.announcement?.context.count
        #expect(kept == (isSingleUse ? 0 : 1))
    }

    @Test func `a last word that nobody knows the answer's fate forgets, too`() async throws {
        try await opened()
        let decided = decided(by: "one")
        _ = try await ledger.decide(id, decided, again: false, length: length)
        _ = try await ledger.settle(id, decided, .unknown("x"), isSingleUse: true)
        #expect(try await ledger.row(id)?.announcement?.context.count == 0)
    }

    @Test func `an answer isn't made again beside another process that is sending one`()
        async throws
    {
        try await opened()
        _ = try await ledger.decide(
            id, decided(by: "one", kept: .nothing), again: false, length: length)
        let again = decided(by: "two", kept: .nothing)
        #expect(
            await code { try await ledger.decide(id, again, again: true, length: length) }
                == .decidedOtherwise(.choose("12")))
        clock.advance(by: .seconds(41))
        let later = decided(by: "two", kept: .nothing)
        #expect(try await ledger.decide(id, later, again: true, length: length).hasArrived)
    }

    @Test func `of two final words the first stands, and the second sender hears it`() async throws
    {
        try await opened()
        let first = decided(by: "one")
        _ = try await ledger.decide(id, first, again: false, length: length)
        #expect(
            try await ledger.settle(id, first, .delivered, isSingleUse: false) == .delivered
        )
        #expect(
            try await ledger.settle(id, first, .answeredElsewhere, isSingleUse: false)
                == .delivered)
    }
}

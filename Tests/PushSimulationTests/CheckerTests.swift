import PushSimulation
import Testing

/// A checker that finds nothing proves nothing: what is deliberately broken must be found, and what
/// a schedule is said to contain must happen.
@Suite(.enabled(if: Plan.runsAll)) struct CheckerTests {
    @Test(arguments: Mutation.allCases)
    func `the checker finds what is deliberately broken`(_ mutation: Mutation) async {
        var missing = expected(of: mutation)
        for first in stride(from: UInt64(0), to: 2000, by: 100) where !missing.isEmpty {
            let summary = await ScheduleRunner.run(
                first..<first + 100, mutation: mutation, enough: .max)
            missing.subtract(summary.failures.flatMap(\.violations).map(\.rule))
            if missing.isEmpty { print("\(mutation): found in \(first + 100) schedules") }
        }
        #expect(missing.isEmpty)
    }

    private func expected(of mutation: Mutation) -> Set<Violation.Rule> {
        switch mutation {
        case .pretendsToWrite: [.oneDecision, .writtenFirst, .nothingLost]
        case .ignoresRevisions: [.counters]
        case .losesRowsAtRestart: [.nothingLost, .seenOnce]
        case .altersDecisions: [.writtenFirst, .trueWords]
        case .guessesDelivery: [.trueWords]
        case .believesAnything: [.seenOnce]
        case .forgetsCounters: [.counters]
        case .enrollsUnwritten: [.enrollments]
        case .forgetsCopies: [.trueWords]
        case .losesCounters: [.counters]
        case .keepsRows: [.removed]
        case .tellsNoToken: [.deviceToken]
        case .listsNothing: [.found]
        case .hidesPauses: [.patience]
        case .hangs: [.noSurprise]
        case .believesStrangers: [.oneDecision]
        case .vouchesForCopies: [.oneDecision]
        case .notesLiesTwice: [.found]
        case .sharesSignedTimes: [.found]
        case .asksAtEachHint: [.bounded]
        case .listsIncompletely, .saysNoEnd: [.ended]
        case .confusesServices: [.deviceToken]
        case .decidesAnyway: [.oneDecision]
        case .takesConflicts: [.oneDecision]
        case .losesMarks: [.nothingLost]
        }
    }

    @Test func `every fault and every answer occurs`() async {
        let tally = await ScheduleRunner.run(0..<600, enough: .max).tally
        // The fictional vendor has no errands, and refuses by a word that says so.
        for event in Tally.Event.allCases where ![.errand, .refusedForNow].contains(event) {
            #expect(tally[event] > 0, "\(event)")
        }
    }
}

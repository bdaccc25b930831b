import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// Authenticators in several processes over one store and one vendor, in every schedule of each
/// scenario: some 59,000 schedules.
///
/// Each reading and writing of the store and each exchange with the vendor is a step. A schedule
/// chooses what becomes of each: it passes; its process is killed before or after it, and never
/// runs on; it is refused; it is made or not, and the process can't know; the vendor gets the
/// request when all else is over; the process renews its lease meanwhile; or another process comes
/// first, and does something from beginning to end. The other process's steps are steps as well.
///
/// Up to two steps of a schedule don't pass; where two challenges are answered in every order of
/// steps, up to one. After that, leases end, and a process that nothing happens to resumes until
/// nothing waits. The rules are judged by the bytes on record and by the vendor's log.
struct ScheduleTests {
    @Test(.timeLimit(.minutes(60)), arguments: Scenario.all)
    func `no rule is broken, whatever becomes of the steps`(_ scenario: Scenario) async throws {
        var events: Set<ScheduleEvent> = []
        let walk = try await scenario.runSchedules { report in
            events.formUnion(report.chosen.map(\.event))
            #expect(report.violations.isEmpty, "\(report)")
            return !report.violations.isEmpty
        }
        #expect(!walk.isUnsteady, "A schedule took another course when it was repeated.")
        #expect(events == scenario.possibleEvents)
    }

    @Test(.timeLimit(.minutes(60)), arguments: ScheduleMutant.allCases)
    func `what is deliberately broken is found by its rule`(_ mutant: ScheduleMutant) async throws {
        var isFound = false
        _ = try await mutant.scenario.runSchedules(mutant) { report in
            isFound = report.violations.contains { $0.rule == mutant.rule }
            return isFound
        }
        #expect(isFound)
    }

    @Test func `a walk makes every combination of choices once`() {
        var walk = ChoiceWalk()
        var paths: [[Int]] = []
        repeat {
            var path = [walk.choose(3)]
            // What is chosen first decides what else there is to choose.
            for _ in 0..<path[0] { path.append(walk.choose(2)) }
            paths.append(path)
        } while walk.advance()
        #expect(
            paths == [[0], [1, 0], [1, 1], [2, 0, 0], [2, 0, 1], [2, 1, 0], [2, 1, 1]])
        #expect(!walk.isUnsteady)
    }
}

extension Scenario {
    /// What may become of some step or other.
    fileprivate var possibleEvents: Set<ScheduleEvent> {
        Set(SchedulePoint.Kind.allCases.flatMap(\.events))
            .union([.renewal]).union(visits.indices.map(ScheduleEvent.visit))
    }

    /// Runs every schedule, until one is the last that is wanted.
    fileprivate func runSchedules(
        _ mutant: ScheduleMutant? = nil, until isLast: (Schedule.Report) -> Bool
    ) async throws -> ChoiceWalk {
        let harness = AuthenticatorHarness()
        _ = try await harness.enrolled(["ada"], options)
        let records = try await harness.store.page(after: nil, limit: 100).records
        var walk = ChoiceWalk()
        repeat {
            let report = try await Schedule.run(self, mutant, along: walk, from: records)
            walk = report.walk
            if isLast(report) { break }
        } while walk.advance()
        return walk
    }
}

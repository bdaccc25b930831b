import PushSimulation
import Testing

/// The plugins under the schedules of the fictional vendor, each against its simulator.
@Suite(.enabled(if: Plan.runsAll)) struct PluginScheduleTests {
    @Test(.timeLimit(.minutes(30)), arguments: Vendor.plugins)
    func `no plugin breaks a promise in any schedule`(_ vendor: Vendor) async {
        let first = Plan.firstSeed
        let count = max(200, Plan.schedules / 20)
        let summary = await ScheduleRunner.run(first..<first + count, of: vendor)
        print("\(vendor): \(summary.schedules) schedules, \(summary.steps) steps")
        for report in summary.failures.prefix(10) {
            Issue.record(
                "PUSH_AUTH_VENDOR=\(report.vendor) PUSH_AUTH_SEED=\(report.seed): \(report.violations)"
            )
        }
        if let first = summary.failures.first {
            print(await ScheduleRunner.trace(first.seed, of: vendor).text)
        }
        for event in [
            Tally.Event.taken, .kill, .forgery, .enrolled, .contradiction, .stranger,
            .strangerAfter, .echo, .lyingDate, .flood,
        ] {
            #expect(summary.tally[event] > 0, "\(event)")
        }
        if vendor == .powerAuth { #expect(summary.tally[.errand] > 0) }
        if vendor == .privacyIDEA { #expect(summary.tally[.refusedForNow] > 0) }
    }

    @Test(arguments: Vendor.plugins)
    func `what is deliberately broken in the store is found`(_ vendor: Vendor) async {
        for mutation in [Mutation.pretendsToWrite, .losesRowsAtRestart] {
            let summary = await ScheduleRunner.run(0..<600, of: vendor, mutation: mutation)
            #expect(!summary.failures.isEmpty, "\(mutation)")
        }
    }

    @Test(arguments: Vendor.plugins)
    func `a stranger who is believed is found`(_ vendor: Vendor) async {
        let rules: Set = [Violation.Rule.nothingLost, .oneDecision, .trueWords]
        #expect(await isFound(.believesStrangers, of: vendor, by: rules))
    }

    @Test(arguments: [Mutation.asksAtEachHint, .listsIncompletely, .saysNoEnd])
    func `what hints and lists lead to is found where it goes wrong`(_ mutation: Mutation) async {
        let rule = mutation == .asksAtEachHint ? Violation.Rule.bounded : .ended
        #expect(await isFound(mutation, of: .powerAuth, by: [rule]))
    }

    private func isFound(
        _ mutation: Mutation, of vendor: Vendor, by rules: Set<Violation.Rule>
    ) async -> Bool {
        for first in stride(from: UInt64(0), to: 4000, by: 200) {
            let summary = await ScheduleRunner.run(
                first..<first + 200, of: vendor, mutation: mutation, enough: .max)
            let found = summary.failures.flatMap(\.violations).map(\.rule)
            guard rules.isDisjoint(with: found) else {
                print("\(vendor) \(mutation): found in \(first + 200) schedules")
                return true
            }
        }
        return false
    }

    @Test(arguments: [Mutation.losesCounters, .ignoresRevisions])
    func `a counter that isn't written is found by what is signed with it`(
        _ mutation: Mutation
    ) async {
        #expect(await isFound(mutation, of: .powerAuth, by: [.counters]))
    }

    @Test(arguments: Vendor.plugins)
    func `the same seed gives the same trace again`(_ vendor: Vendor) async {
        for seed in UInt64(0)..<10 {
            let one = await ScheduleRunner.trace(seed, of: vendor)
            let other = await ScheduleRunner.trace(seed, of: vendor)
            #expect(one.trace == other.trace, "seed \(seed)")
        }
    }
}

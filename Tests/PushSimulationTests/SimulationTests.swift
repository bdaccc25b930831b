import PushSimulation
import Testing

@Suite struct SimulationTests {
    @Test func `the runtime lets its jobs be captured`() {
        #expect(Simulation.isAvailable)
    }

    @Test(arguments: Plan.names)
    func `what the environment asks for is a number`(_ name: String) {
        #expect((Plan.text(name) == nil) == (Plan.number(name) == nil))
    }

    @Test(.enabled(if: Plan.runsAll), .timeLimit(.minutes(60)))
    func `no promise is broken in any schedule`() async {
        let start = ContinuousClock.now
        let summary = await ScheduleRunner.run(Plan.firstSeed..<Plan.firstSeed + Plan.schedules)
        let seconds = (ContinuousClock.now - start).components.seconds
        print("\(summary.schedules) schedules, \(summary.steps) steps, \(seconds) s")
        for report in summary.failures.prefix(10) {
            Issue.record("PUSH_AUTH_SEED=\(report.seed): \(report.violations)")
        }
        guard let first = summary.failures.first else {
            #expect(summary.schedules == Int(Plan.schedules))
            return
        }
        print(await ScheduleRunner.trace(first.seed).text)
    }

    @Test(.enabled(if: Simulation.isAvailable && Plan.seed != nil), .timeLimit(.minutes(10)))
    func `the given schedule breaks no promise`() async throws {
        let vendor = try #require(Plan.vendor, "No such vendor.")
        let report = await ScheduleRunner.trace(try #require(Plan.seed), of: vendor)
        print(report.text)
        #expect(report.violations == [])
    }
}

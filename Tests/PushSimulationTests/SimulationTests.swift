import Foundation
import PushSimulation
import Testing

/// `PUSH_AUTH_SEED=1234` repeats one schedule and prints what happens in it;
/// `PUSH_AUTH_SCHEDULES=200000` runs that many.
@Suite struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    static let seed = environment["PUSH_AUTH_SEED"].flatMap(UInt64.init)
    static let schedules = environment["PUSH_AUTH_SCHEDULES"].flatMap(UInt64.init) ?? 20_000

    @Test func `the runtime lets its jobs be captured`() {
        #expect(Simulation.isAvailable)
    }

    @Test(.enabled(if: Simulation.isAvailable && seed == nil))
    func `no promise is broken in any schedule`() async {
        let start = ContinuousClock.now
        let summary = await Farm.run(0..<Self.schedules)
        let seconds = (ContinuousClock.now - start).components.seconds
        print("\(summary.schedules) schedules, \(summary.steps) steps, \(seconds) s")
        for report in summary.failures.prefix(10) {
            Issue.record("PUSH_AUTH_SEED=\(report.seed): \(report.violations)")
        }
        guard let first = summary.failures.first else { return }
        let trace = await Farm.trace(first.seed).trace
        print("Seed \(first.seed):\n" + trace.joined(separator: "\n"))
    }

    @Test(.enabled(if: Simulation.isAvailable && seed != nil))
    func `the given schedule breaks no promise`() async throws {
        let report = await Farm.trace(try #require(Self.seed))
        print("Seed \(report.seed):\n" + report.trace.joined(separator: "\n"))
        #expect(report.violations == [])
    }
}

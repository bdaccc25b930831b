import PushSimulation
import Testing

@Suite(.enabled(if: Plan.runsAll)) struct DeterminismTests {
    @Test func `the same seed gives the same trace again`() async {
        for seed in UInt64(0)..<40 {
            async let one = ScheduleRunner.trace(seed)
            async let other = ScheduleRunner.trace(seed)
            let (first, second) = await (one, other)
            #expect(!first.trace.isEmpty)
            #expect(first.trace == second.trace, "seed \(seed)")
            #expect(first.violations == second.violations)
            #expect(first.steps == second.steps)
        }
    }

    @Test func `different seeds give different traces`() async {
        var traces: Set<[String]> = []
        for seed in UInt64(0)..<40 { traces.insert(await ScheduleRunner.trace(seed).trace) }
        #expect(traces.count == 40)
    }

    @Test func `a trace is the same whether it is written down or not`() async {
        let quiet = await ScheduleRunner.run(7..<8).steps
        #expect(await ScheduleRunner.trace(7).steps == quiet)
    }

    @Test func `tasks outside a simulation run as ever`() async {
        let (_, sum) = await (
            ScheduleRunner.run(0..<50),
            withTaskGroup(of: Int.self) { group in
                for number in 1...100 {
                    group.addTask {
                        await Task.yield()
                        return number
                    }
                }
                return await group.reduce(0, +)
            }
        )
        #expect(sum == 5050)
    }
}

// All of Foundation, for its threads: a simulation needs one whose stack it chooses.
import Foundation

/// Runs many schedules on a few threads.
public enum ScheduleRunner {
    /// What came of many schedules.
    public struct Summary: Sendable {
        /// How many ran.
        public var schedules = 0
        /// The reports of those that saw a promise broken, by seed.
        public var failures: [Simulation.Report] = []
        /// How often each thing happened.
        public var tally = Tally()
        /// How many jobs ran.
        public var steps = 0

        mutating func add(_ report: Simulation.Report) {
            schedules += 1
            steps += report.steps
            tally.add(report.tally)
            if !report.violations.isEmpty { failures.append(report) }
        }

        mutating func add(_ other: Summary) {
            schedules += other.schedules
            steps += other.steps
            tally.add(other.tally)
            failures = (failures + other.failures).sorted { $0.seed < $1.seed }
        }
    }

    /// Runs a range of seeds.
    ///
    /// - Parameters:
    ///   - seeds: The schedules.
    ///   - vendor: Whose protocol they run.
    ///   - mutation: What is deliberately broken in them.
    ///   - threads: How many run at once.
    ///   - enough: After how many failures a thread stops.
    /// - Returns: What came of them.
    public static func run(
        _ seeds: Range<UInt64>, of vendor: Vendor = .acme, mutation: Mutation? = nil,
        threads: Int = 2, enough: Int = 50
    ) async -> Summary {
        await withTaskGroup(of: Summary.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    await onThread {
                        var summary = Summary()
                        let first = seeds.lowerBound + UInt64(thread)
                        for seed in stride(from: first, to: seeds.upperBound, by: threads) {
                            let schedule = Simulation(of: vendor, seed: seed, mutation: mutation)
                            summary.add(schedule.run())
                            if summary.failures.count >= enough { break }
                        }
                        return summary
                    }
                }
            }
            var all = Summary()
            for await summary in group { all.add(summary) }
            return all
        }
    }

    /// Runs one schedule, and writes down what happens.
    public static func trace(
        _ seed: UInt64, of vendor: Vendor = .acme, mutation: Mutation? = nil
    ) async -> Simulation.Report {
        await onThread {
            Simulation(of: vendor, seed: seed, mutation: mutation).run(tracing: true)
        }
    }

    /// A thread of its own, as a simulation takes over what its thread would give to others.
    private static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}

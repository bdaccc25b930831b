/// One schedule: a vendor, processes, a user and what goes wrong, all drawn from one seed.
public struct Simulation: Sendable {
    /// What came of a schedule.
    public struct Report: Sendable {
        /// The seed that repeats it.
        public let seed: UInt64
        /// Every promise that it saw broken.
        public let violations: [Violation]
        /// What happened, line by line; empty if nobody asked for it.
        public let trace: [String]
        /// How many jobs ran.
        public let steps: Int

        /// How often each thing happened.
        public let tally: Tally

        /// The seed and what happened, to print.
        public var text: String { "Seed \(seed):\n" + trace.joined(separator: "\n") }
    }

    /// Whether this runtime lets a simulation run.
    public static var isAvailable: Bool { Scheduler.isAvailable }

    /// What it repeats.
    public let seed: UInt64
    /// What is deliberately broken.
    public let mutation: Mutation?

    /// Creates a schedule.
    public init(seed: UInt64, mutation: Mutation? = nil) {
        self.seed = seed
        self.mutation = mutation
    }

    /// Runs it on this thread, which must belong to nobody else meanwhile.
    public func run(tracing: Bool = false) -> Report {
        let world = World(seed: seed, mutation: mutation, tracing: tracing)
        world.play()
        return Report(
            seed: seed, violations: world.violations, trace: world.trace ?? [],
            steps: world.steps, tally: world.tally)
    }
}

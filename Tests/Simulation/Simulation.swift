/// One schedule: a vendor, processes, a user and what goes wrong, all drawn from one seed.
public struct Simulation: Sendable {
    /// What came of a schedule.
    public struct Report: Sendable {
        /// Whose protocol it ran.
        public let vendor: Vendor
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
        public var text: String { "\(vendor) \(seed):\n" + trace.joined(separator: "\n") }
    }

    /// Whether this runtime lets a simulation run.
    public static var isAvailable: Bool { Scheduler.isAvailable }

    /// Whose protocol it runs.
    public let vendor: Vendor
    /// What it repeats.
    public let seed: UInt64
    /// What is deliberately broken.
    public let mutation: Mutation?

    /// Creates a schedule.
    public init(of vendor: Vendor = .acme, seed: UInt64, mutation: Mutation? = nil) {
        self.vendor = vendor
        self.seed = seed
        self.mutation = mutation
    }

    /// Runs it on this thread, which must belong to nobody else meanwhile.
    public func run(tracing: Bool = false) -> Report {
        let world =
            switch vendor.makePlugin {
            case let makePlugin?:
                PluginRun(makePlugin, seed: seed, mutation: mutation, tracing: tracing)
            case nil: AcmeRun(seed: seed, mutation: mutation, tracing: tracing)
            }
        world.play()
        return Report(
            vendor: vendor, seed: seed, violations: world.violations, trace: world.trace ?? [],
            steps: world.steps, tally: world.tally)
    }
}

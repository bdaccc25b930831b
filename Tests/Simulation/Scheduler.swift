import CPushSimulation

/// This thread's Swift concurrency, one job at a time, in an order that a schedule draws.
///
/// Jobs resumed from another thread would escape it, so nothing under it may use a real clock, real
/// input and output, or a lock that another thread holds. `Task.yield` and `Task.sleep` escape it
/// as well: the runtime hands them to the thread pool without asking its hooks.
struct Scheduler {
    /// Whether the runtime lets its jobs be captured.
    static let isAvailable = push_simulation_install() == 0

    init() {
        _ = Self.isAvailable  // Installs the hooks, once.
        push_simulation_begin()
    }

    /// How many jobs wait.
    var waiting: Int { Int(push_simulation_waiting()) }

    /// How often something asked the runtime for a real timer.
    var realTimers: Int { Int(push_simulation_timers()) }

    /// Runs one waiting job until it suspends.
    func run(_ index: Int) { push_simulation_run(index) }

    /// Ends the capture; jobs that still wait are never run.
    func end() { push_simulation_end() }
}

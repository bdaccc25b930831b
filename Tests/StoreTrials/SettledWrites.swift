package import PushCore

/// Counts what stores tell of writes whose replies were lost.
package final class SettledWrites: Sendable {
    private let counts = Locked<[SettledWrite: Int]>([:])

    package init() {}

    /// Counts one.
    package func add(_ settled: SettledWrite) {
        counts.withLock { $0[settled, default: 0] += 1 }
    }

    /// How often it was told.
    package func count(_ settled: SettledWrite) -> Int {
        counts.withLock { $0[settled] ?? 0 }
    }
}

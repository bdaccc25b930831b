/// Times an operation in batches that are long enough for the clock.
struct Stopwatch {
    /// What one operation took, in nanoseconds.
    struct Result {
        /// In the fastest batch: the cost without what else the machine did.
        let minimum: Double
        /// In the middle one: what to compare.
        let median: Double
    }

    /// How long one batch takes, at least.
    var batch: Duration = .milliseconds(5)
    /// How long all batches take, about.
    var total: Duration = .milliseconds(700)

    func measure(_ operation: () async throws -> Void) async throws -> Result {
        var size = 1
        while try await time(operation, times: size) < batch { size *= 2 }

        var samples: [Double] = []
        let end = ContinuousClock.now + total
        repeat {
            let elapsed = try await time(operation, times: size)
            samples.append(elapsed / .nanoseconds(1) / Double(size))
        } while ContinuousClock.now < end || samples.count < 5
        samples.sort()
        return Result(minimum: samples[0], median: samples[samples.count / 2])
    }

    private func time(
        _ operation: () async throws -> Void, times: Int
    ) async throws -> Duration {
        let start = ContinuousClock.now
        for _ in 0..<times { try await operation() }
        return ContinuousClock.now - start
    }
}

/// Times operations in batches that are long enough for the clock, a batch of each by turns: what else
/// the machine does, it does to all of them.
struct Stopwatch {
    /// How long one batch takes, at least.
    var batch: Duration = .milliseconds(5)
    /// How long all batches of one operation take, about.
    var total: Duration = .milliseconds(700)

    /// What one operation of each contestant took, in nanoseconds, round by round.
    func measure(_ contestants: [Comparison.Contestant]) async throws -> [[Double]] {
        var sizes: [Int] = []
        for contestant in contestants {
            var size = 1
            while try await contestant.time(size) < batch { size *= 2 }
            sizes.append(size)
        }

        var samples = contestants.map { _ in [Double]() }
        let end = ContinuousClock.now + total * contestants.count
        repeat {
            for (index, contestant) in contestants.enumerated() {
                let elapsed = try await contestant.time(sizes[index])
                samples[index].append(elapsed / .nanoseconds(1) / Double(sizes[index]))
            }
        } while ContinuousClock.now < end || samples.first.map { $0.count < 5 } == true
        return samples
    }
}

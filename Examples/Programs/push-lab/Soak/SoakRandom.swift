import PushTesting

/// What the harness draws from its seed.
extension SeededRandom {
    /// One of the numbers below a bound.
    func below(_ bound: Int) -> Int {
        Int(next() % UInt64(max(bound, 1)))
    }

    /// Whether something happens that happens once in so many times.
    func oneIn(_ count: Int) -> Bool {
        below(count) == 0
    }

    /// A moment within a span, in steps of 0.1 ms.
    func pause(upTo milliseconds: Int) -> Duration {
        .microseconds(100 * below(10 * milliseconds + 1))
    }
}

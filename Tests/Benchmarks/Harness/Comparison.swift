/// Contestants that do one job, measured side by side.
public struct Comparison {
    /// One way to do the job.
    public struct Contestant {
        let name: String
        let bytes: Int?

        /// Does the job a number of times, and says how long it took.
        let time: (_ times: Int) async throws -> Duration
    }

    let name: String
    let bytes: Int?
    var contestants: [Contestant] = []

    /// Creates a comparison without contestants.
    ///
    /// - Parameters:
    ///   - name: The job.
    ///   - bytes: How much input one operation reads, where throughput says more than time.
    public init(_ name: String, bytes: Int? = nil) {
        self.name = name
        self.bytes = bytes
    }

    /// Adds a contestant; the others are compared with the first one.
    ///
    /// - Parameters:
    ///   - name: What to call it.
    ///   - bytes: How much input it reads, if the contestants read different ones: then they are
    ///     compared by their time per byte.
    ///   - operation: Does the job once; ends in ``keep(_:)``, so that it isn't optimized away.
    public mutating func add(
        _ name: String, bytes: Int? = nil, _ operation: @escaping () async throws -> Void
    ) {
        contestants.append(
            Contestant(name: name, bytes: bytes) { times in
                let start = ContinuousClock.now
                for _ in 0..<times { try await operation() }
                return ContinuousClock.now - start
            })
    }

    /// Adds a contestant that needs something new each time.
    ///
    /// - Parameters:
    ///   - name: What to call it.
    ///   - each: Makes what it needs, which isn't timed, nor is freeing it.
    ///   - operation: Does the job once.
    public mutating func add<Need>(
        _ name: String, each: @escaping () async throws -> Need,
        _ operation: @escaping (Need) async throws -> Void
    ) {
        contestants.append(
            Contestant(name: name, bytes: nil) { times in
                var elapsed = Duration.zero
                for _ in 0..<times {
                    let need = try await each()
                    let start = ContinuousClock.now
                    try await operation(need)
                    elapsed += ContinuousClock.now - start
                    keep(need)
                }
                return elapsed
            })
    }
}

/// Uses a value, as far as the optimizer knows.
@inline(never)
public func keep<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}

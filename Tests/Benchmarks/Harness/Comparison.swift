/// Contestants that do one job, measured side by side.
public struct Comparison {
    /// One way to do the job.
    public struct Contestant {
        let name: String
        let bytes: Int?
        let operation: () async throws -> Void
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
        contestants.append(Contestant(name: name, bytes: bytes, operation: operation))
    }
}

/// Uses a value, as far as the optimizer knows.
@inline(never)
public func keep<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}

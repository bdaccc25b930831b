/// Who wants to know when something changed.
struct ConsoleWatchers {
    private var streams: [Int: AsyncStream<Int>.Continuation] = [:]
    private var next = 0

    /// - Parameters:
    ///   - version: What the watcher is told first.
    ///   - end: What is done with the watcher's number once nobody listens to it.
    /// - Returns: The versions, from the first on.
    mutating func add(
        at version: Int, untilEnd end: @escaping @Sendable (Int) -> Void
    ) -> AsyncStream<Int> {
        let (stream, continuation) = AsyncStream<Int>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let number = next
        next += 1
        streams[number] = continuation
        continuation.onTermination = { _ in end(number) }
        continuation.yield(version)
        return stream
    }

    func tell(_ version: Int) {
        for stream in streams.values { stream.yield(version) }
    }

    mutating func forget(_ number: Int) { streams[number] = nil }

    mutating func close() {
        for stream in streams.values { stream.finish() }
        streams = [:]
    }
}

/// The system's cryptographically secure generator.
public struct SystemRandom: RandomSource {
    /// Creates a source.
    public init() {}

    /// Fills memory with unpredictable bytes.
    public func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        var generator = SystemRandomNumberGenerator()
        for index in buffer.indices {
            buffer[index] = generator.next()
        }
    }
}

/// The system's cryptographically secure generator.
public struct SystemRandom: RandomSource {
    /// Creates a source.
    public init() {}

    /// Fills memory with unpredictable bytes.
    public func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        // Every call of the generator asks the system: whole words, not bytes.
        var generator = SystemRandomNumberGenerator()
        for start in stride(from: 0, to: buffer.count, by: 8) {
            withUnsafeBytes(of: generator.next() as UInt64) { word in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
                rest.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: word.prefix(rest.count)))
            }
        }
    }
}

public import PushCore

/// Repeatable bytes that only look random (SplitMix64). Never for anything that must be secret.
public final class SeededRandom: RandomSource, RandomNumberGenerator {
    private let state: Locked<UInt64>

    /// Creates a source; equal seeds give equal bytes.
    public init(seed: UInt64) {
        state = Locked(seed)
    }

    /// The next 64 bits.
    public func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    /// Fills memory.
    public func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in buffer.indices {
            buffer[index] = UInt8(truncatingIfNeeded: next())
        }
    }
}

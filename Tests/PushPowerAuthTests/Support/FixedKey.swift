import PushCore
import PushTesting

/// Chance that draws one chosen key where a key is drawn first.
final class FixedKey: RandomSource {
    private let key: [UInt8]
    private let source: SeededRandom

    init(_ key: [UInt8], seed: UInt64) {
        self.key = key
        source = SeededRandom(seed: seed)
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        guard buffer.count == key.count else { return source.fill(buffer) }
        buffer.copyBytes(from: key)
    }
}

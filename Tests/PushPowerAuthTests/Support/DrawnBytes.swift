import HTTPTypes
import PushCore

@testable import PushTesting

/// Repeatable bytes, and a memory of what was drawn.
final class DrawnBytes: RandomSource {
    private let source: SeededRandom
    private let log = Locked<[[UInt8]]>([])

    init(seed: UInt64) { source = SeededRandom(seed: seed) }

    /// Everything that was drawn at once, oldest first.
    var draws: [[UInt8]] { log.withLock { $0 } }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        source.fill(buffer)
        log.withLock { $0.append(Array(buffer)) }
    }
}

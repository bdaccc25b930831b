import Foundation
import PushCore

/// Bytes that a test chose: for indices (8 bytes) those it lists, then zeros; for secrets
/// (32 bytes) the seed of RFC 6238; for all else bytes that never repeat.
///
/// `@unchecked Sendable` is safe because every access to the state holds the lock.
final class TenantRandom: RandomSource, @unchecked Sendable {
    private let lock = NSLock()
    private var indices: [UInt8] = []
    private var count: UInt64 = 0

    /// Says which indices are drawn next.
    func draw(_ indices: UInt8...) {
        lock.withLock { self.indices = indices }
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        lock.withLock {
            switch buffer.count {
            case 8:
                buffer.copyBytes(from: [UInt8](repeating: 0, count: 8))
                buffer[7] = indices.isEmpty ? 0 : indices.removeFirst()
            case 32: buffer.copyBytes(from: Array("12345678901234567890123456789012".utf8))
            default:
                count += 1
                for index in buffer.indices {
                    buffer[index] = UInt8(truncatingIfNeeded: count >> (UInt64(index % 8) * 8))
                }
            }
        }
    }
}

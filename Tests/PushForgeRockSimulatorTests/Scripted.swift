import Foundation
import PushCore

/// Random bytes that a test chose; zeros after them.
///
/// `@unchecked Sendable` is safe because every access to the bytes holds the lock.
final class ScriptedRandom: RandomSource, @unchecked Sendable {
    private let lock = NSLock()
    private var bytes: [UInt8]

    init(_ parts: [UInt8]...) {
        bytes = parts.flatMap { $0 }
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        lock.withLock {
            for index in buffer.indices {
                buffer[index] = bytes.isEmpty ? 0 : bytes.removeFirst()
            }
        }
    }
}

/// A clock that shows one moment after the other, and then stays at the last.
///
/// `@unchecked Sendable` is safe because every access to the moments holds the lock.
final class ScriptedClock: PushClock, @unchecked Sendable {
    let servers = ServerTime()
    let elapsed = Duration.zero
    private let lock = NSLock()
    private var moments: [Int64]

    init(milliseconds: Int64...) {
        moments = milliseconds
    }

    func show(milliseconds: Int64...) {
        lock.withLock { moments = milliseconds }
    }

    var now: Date {
        let moment = lock.withLock { moments.count > 1 ? moments.removeFirst() : moments[0] }
        return Date(timeIntervalSince1970: Double(moment) / 1000)
    }
}

import Foundation
import PushCore

/// A clock that shows one moment after the other, and then stays at the last.
///
/// `@unchecked Sendable` is safe because every access to the moments holds the lock.
final class ScriptedClock: PushClock, @unchecked Sendable {
    let serverTime = ServerTime()
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

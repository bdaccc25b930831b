import Foundation
import PushCore

/// A server's clock that may be put forward, so that what waits runs out.
///
/// A lock guards the offset, which is why `@unchecked Sendable` is safe.
final class OffsetClock: PushClock, @unchecked Sendable {
    private let system = SystemClock()
    private let lock = NSLock()
    private var offset = Duration.zero

    let servers = ServerTime()

    var now: Date {
        let offset = lock.withLock { self.offset }
        return system.now.addingTimeInterval(TimeInterval(offset.components.seconds))
    }

    var elapsed: Duration { system.elapsed + lock.withLock { self.offset } }

    func sleep(for duration: Duration) async {
        await system.sleep(for: duration)
    }

    func advance(by duration: Duration) {
        lock.withLock { self.offset += duration }
    }
}

import Foundation
import PushCore

/// The system's clock, which a flow puts forward instead of waiting. What is shared by a server and
/// its devices has them agree. A lock guards what changes, so `@unchecked Sendable` is safe.
final class LabClock: PushClock, @unchecked Sendable {
    private let system = SystemClock()
    private let lock = NSLock()
    private var lead: Duration = .zero

    let serverTime = ServerTime()

    var now: Date { system.now.addingTimeInterval(passed / .seconds(1)) }

    var elapsed: Duration { system.elapsed + passed }

    /// How far it was put forward.
    private var passed: Duration { lock.withLock { lead } }

    /// Lets time pass. Who sleeps already isn't woken.
    func advance(by duration: Duration) {
        lock.withLock { lead += duration }
    }

    func sleep(for duration: Duration) async {
        await system.sleep(for: duration)
    }
}

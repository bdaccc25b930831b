import Foundation
import PushCore
import PushTesting

/// A clock that a test moves, and that tells the test when something sleeps.
struct StagedClock: PushClock {
    let manual: ManualClock
    let sleeping: @Sendable (Duration) async -> Void

    var now: Date { manual.now }
    var elapsed: Duration { manual.elapsed }
    var servers: ServerTime { manual.servers }

    func sleep(for duration: Duration) async {
        guard duration > .zero else { return }
        await sleeping(duration)
    }
}

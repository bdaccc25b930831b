import Foundation
import PushCore
import PushTesting

extension BlackBox {
    /// A clock for which pauses between two tries pass at once, while a limit of a minute or more
    /// passes only when a test lets time pass.
    final class HurriedClock: PushClock {
        private let clock: ManualClock

        init(_ clock: ManualClock) { self.clock = clock }

        var servers: ServerTime { clock.servers }
        var now: Date { clock.now }
        var elapsed: Duration { clock.elapsed }

        func sleep(for duration: Duration) async {
            guard duration < .seconds(45) else { return await clock.sleep(for: duration) }
            await Task.yield()
        }
    }
}

import Foundation
import PushCore
import PushTesting

/// The simulators' clock: the system's, except within what is told to happen later.
///
/// No server's time is ever put forward for all: the logins that come after would be from the
/// future, and a device would take the time for that of every server of its host.
struct ConsoleClock: PushClock {
    /// How far what the current task does is ahead of the system's clock.
    private static let lead = TaskLocal<Duration>(wrappedValue: .zero)

    private let system = SystemClock()

    let serverTime = ServerTime()

    var now: Date { system.now.addingTimeInterval(Self.lead.get() / .seconds(1)) }

    var elapsed: Duration { system.elapsed + Self.lead.get() }

    func sleep(for duration: Duration) async {
        await system.sleep(for: duration)
    }

    /// Does something as if it were done later, while all else goes by the system's clock.
    func later<Result>(by duration: Duration, _ body: () async -> Result) async -> Result {
        await Self.lead.withValue(duration, operation: body)
    }

    /// Where logins will stand once a time has passed.
    func statuses(
        of logins: [SimulatedLogin.ID], at simulator: some VendorSimulator,
        after duration: Duration = .zero
    ) async -> [SimulatedLogin.ID: SimulatedLogin.Status] {
        await later(by: duration) {
            var statuses: [SimulatedLogin.ID: SimulatedLogin.Status] = [:]
            for login in logins { statuses[login] = try? await simulator.status(of: login) }
            return statuses
        }
    }
}

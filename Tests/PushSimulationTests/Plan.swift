import Foundation
import PushSimulation

/// What the environment asks to be run.
///
/// - `PUSH_AUTH_SEED=1234` repeats one schedule and prints what happens in it.
/// - `PUSH_AUTH_VENDOR=forgeRock` has it repeat one of that plugin's.
/// - `PUSH_AUTH_SCHEDULES=200000` runs that many instead of 20,000.
/// - `PUSH_AUTH_FIRST_SEED=1000000` begins with that seed instead of 0.
enum Plan {
    static let names = ["PUSH_AUTH_SEED", "PUSH_AUTH_SCHEDULES", "PUSH_AUTH_FIRST_SEED"]

    static let vendor: Vendor? = {
        guard let name = text("PUSH_AUTH_VENDOR") else { return .acme }
        return ([.acme] + Vendor.plugins).first { $0.description == name }
    }()
    static let seed = number(names[0])
    static let schedules = number(names[1]) ?? 20_000
    static let firstSeed = number(names[2]) ?? 0

    /// Whether more than one given schedule runs.
    static let runsAll = Simulation.isAvailable && seed == nil

    /// A variable's text, if it is set.
    static func text(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    static func number(_ name: String) -> UInt64? { text(name).flatMap(UInt64.init) }
}

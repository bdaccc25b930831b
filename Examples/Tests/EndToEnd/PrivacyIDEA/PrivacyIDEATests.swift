import Foundation
import PushCore
import Testing

/// privacyIDEA's real server, by our transport and store, and the simulator held to it: each scenario
/// runs at both, and what is seen must be the same.
///
/// `make python` installs the server, and `make test` does so first. Without it, these tests fail: what
/// isn't tried isn't known to work.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PrivacyIDEATests {
    @Test(arguments: Scenario.all(of: .chosen))
    func `the real server does what the scenario says, and the simulator the same`(
        _ scenario: Scenario
    ) async throws {
        let real = RealPrivacyIDEA(process: try await ServerProcess.running.value)
        let simulator = try await SimulatedPrivacyIDEA(.chosen)
        async let there = Stage.play(scenario, at: real)
        async let here = Stage.play(scenario, at: simulator)
        let comparison: Comparison
        do {
            comparison = Comparison(real: try await there, simulated: try await here)
            await simulator.stop()
        } catch {
            await simulator.stop()
            throw error
        }
        #expect(comparison.differences == [])
        await Tally.all.add(comparison.count, of: scenario)
    }

    @Test func `each scenario has a user of its own`() {
        #expect(Set(Scenario.users).count == Scenario.users.count)
    }

    @Test func `every difference is found`() {
        let lines = ["a", "b", "c"]
        #expect(Comparison(real: lines, simulated: lines).differences == [])
        #expect(Comparison(real: lines, simulated: ["a", "x", "c"]).differences.count == 1)
        #expect(Comparison(real: lines, simulated: ["a", "b"]).differences.count == 1)
        #expect(Comparison(real: [], simulated: lines).differences.count == 3)
    }
}

/// What was seen at the real server and at the simulator, step by step.
struct Comparison {
    /// How many steps there were.
    let count: Int

    /// Those that differ.
    let differences: [String]

    init(real: [String], simulated: [String]) {
        count = max(real.count, simulated.count)
        differences = (0..<count).compactMap { index in
            let one = index < real.count ? real[index] : "nothing"
            let other = index < simulated.count ? simulated[index] : "nothing"
            return one == other
                ? nil : "\(index + 1). the server: \(one) — the simulator: \(other)"
        }
    }
}

/// How many behaviours were compared.
private actor Tally {
    static let all = Tally()

    private var count = 0

    func add(_ number: Int, of scenario: Scenario) {
        count += number
        print("privacyIDEA, \(scenario.name): \(number) behaviours compared, \(count) in all")
    }
}

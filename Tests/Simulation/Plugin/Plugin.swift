import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushTesting

/// What a schedule lends a simulator.
struct PluginSite {
    let clock: any PushClock
    let random: any RandomSource
}

/// A plugin with its simulator, as a schedule uses them.
struct Plugin {
    let simulator: any VendorSimulator
    let provider: (Environment) -> any PushProvider
    /// What logins ask for.
    let kinds: [SimulatedLogin.Kind]
    var rightEvidence: [Evidence] = [.presence]
    var wrongEvidence: [Evidence] = [.presence]

    static func forgeRock(at site: PluginSite) -> Plugin {
        var configuration = ForgeRockSimulator.Configuration(
            clock: site.clock, random: site.random)
        configuration.messageTimeout = .seconds(120)
        return Plugin(
            simulator: ForgeRockSimulator(configuration),
            provider: { ForgeRock(in: $0) }, kinds: [.confirm, .number])
    }
}

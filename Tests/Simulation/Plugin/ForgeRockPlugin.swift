import PushForgeRock
import PushForgeRockSimulator
import PushTesting

extension Vendor {
    /// ForgeRock's AM.
    public static let forgeRock = Vendor("forgeRock") { site in
        var configuration = ForgeRockSimulator.Configuration(
            clock: site.clock, random: site.random)
        let lifetime = site.drawnLifetime()
        configuration.messageTimeout = .milliseconds(lifetime)
        return Plugin(
            simulator: ForgeRockSimulator(configuration),
            provider: { ForgeRock(in: $0) }, kinds: [.confirm, .number], lifetime: lifetime)
    }
}

import PushCore
import PushTesting
import PushXignIn
import PushXignInReference
import PushXignInSimulator

extension Vendor {
    /// XignIn by the open format.
    public static let xignIn = Vendor("xignIn") { site in
        var configuration = XignInSimulator.Configuration(clock: site.clock, random: site.random)
        let lifetime = site.drawnLifetime()
        configuration.processLifetime = .milliseconds(lifetime)
        configuration.lockouts.attempts = nil
        var choices = XignIn.Configuration(wireFormat: OpenReferenceWireFormat())
        choices.pinIterations = 1
        return Plugin(
            simulator: XignInSimulator(configuration),
            provider: { [choices] in XignIn(configuration: choices, in: $0) }, kinds: [.confirm],
            rightEvidence: [.pin(Secret("1234".utf8))], wrongEvidence: [.pin(Secret("0000".utf8))],
            lifetime: lifetime)
    }
}

public import PushCore
public import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Vendor {
    /// The plugin with its simulator, as a check of its conformance uses them.
    ///
    /// - Parameter seed: What the simulator's chance begins with, and so which of its vendor's variants
    ///   it is.
    /// - Returns: The provider, its simulator and what else a check needs.
    /// - Throws: `PushError` with the code `unsupported` if the vendor has no plugin.
    public func fixtures(seed: UInt64) throws(PushError) -> VendorFixtures {
        guard let makePlugin else { throw PushError(.unsupported, "The vendor has no plugin.") }
        let clock = ManualClock(Date(timeIntervalSince1970: 1_795_348_800))
        let plugin = makePlugin(PluginSite(clock: clock, random: SeededRandom(seed: seed)))
        let provider = plugin.provider
        var fixtures = VendorFixtures(simulator: plugin.simulator, clock: clock) {
            (environment) throws(PushError) in
            guard let made = provider(environment) else {
                throw PushError(.invalidArgument, "The plugin can't be set up.")
            }
            return made
        }
        fixtures.lifetime = .milliseconds(plugin.lifetime)
        return fixtures
    }
}

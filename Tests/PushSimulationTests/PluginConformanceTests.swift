import PushCore
import PushSimulation
import PushTesting
import Testing

/// What the core asks of every plugin, over its vendor's whole server.
@Suite(.timeLimit(.minutes(10))) struct PluginConformanceTests {
    /// Each seed draws another variant of the vendor: releases, factors, lifetimes.
    @Test(arguments: Vendor.allCases.filter { $0 != .acme }, [UInt64(1), 2, 3])
    func `no plugin breaks what is asked of all`(_ vendor: Vendor, seed: UInt64) async {
        let findings = await ProviderConformance.check { () throws(PushError) in
            try vendor.fixtures(seed: seed)
        }
        #expect(findings == [])
    }
}

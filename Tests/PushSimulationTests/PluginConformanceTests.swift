import PushCore
import PushSimulation
import PushTesting
import Testing

/// What the core asks of every plugin, over its vendor's whole server.
@Suite(.timeLimit(.minutes(30))) struct PluginConformanceTests {
    /// The parts that depend on the variant. What is made of changed replies takes longer than all others
    /// together.
    private static let variable: Set<String> = [
        "enrollment", "enrollment with a spoiled exchange", "answer",
        "answer with a spoiled exchange", "wrong number", "opening with a spoiled reply", "list",
        "foreign list", "list with a spoiled reply", "moving to another device",
    ]

    /// Each seed draws another variant of the vendor: releases, factors, lifetimes.
    @Test(arguments: Vendor.plugins, [UInt64(1), 2, 3])
    func `no plugin breaks what is asked of all`(_ vendor: Vendor, seed: UInt64) async {
        let findings = await ProviderConformance.check(seed == 1 ? nil : Self.variable) {
            () throws(PushError) in
            try vendor.fixtures(seed: seed)
        }
        #expect(findings == [])
    }
}

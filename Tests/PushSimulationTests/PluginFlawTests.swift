import PushCore
import PushSimulation
import PushTesting
import Testing

/// What would be wrong with a plugin is found, in each of this repository's that can have it.
@Suite(.timeLimit(.minutes(10))) struct PluginFlawTests {
    private static let list: Set<PluginFlaw> = [
        .listsOne, .listsForAnother, .renamesListed, .listsIncompletely, .listsNothing,
        .endsUnlisted,
    ]

    /// What a plugin can't have: its vendor has no such thing, or its push says all, and nothing is asked.
    private static let impossible: [Vendor: Set<PluginFlaw>] = [
        // AM takes one number, and no other after it.
        .forgeRock: list.union([.endsWrongNumbers, .endsUnopened, .endsUnasked]),
        .plusAuth: list.union([.endsWrongNumbers, .endsUnopened, .endsUnasked, .asksForNoProof]),
        // Its pushes are hints, which have no title.
        .powerAuth: [.endsWrongNumbers, .asksForNoNumber, .tellsInNotice],
        // A title is too short for its secret, and for privacyIDEA's.
        .xignIn: list.union([
            .endsWrongNumbers, .asksForNoNumber, .endsUnopened, .endsUnasked, .tellsInNotice,
        ]),
        // Its engine keeps the secrets apart, and reads replies that aren't JSON.
        .oneSpan: list.union([
            .endsWrongNumbers, .asksForNoNumber, .endsUnopened, .endsUnasked, .tellsInNotice,
            .tellsInObservation,
        ]),
        .privacyIDEA: [.asksForNoProof, .endsUnopened, .tellsInNotice],
    ]

    private static let pairs = Vendor.allCases.filter { $0 != .acme }.flatMap { vendor in
        PluginFlaw.allCases.filter { impossible[vendor]?.contains($0) != true }
            .map { (vendor, $0) }
    }

    @Test(arguments: pairs) func `each part finds its flaws`(
        _ vendor: Vendor, _ flaw: PluginFlaw
    ) async {
        let findings = await ProviderConformance.check([flaw.topic]) { () throws(PushError) in
            try vendor.fixtures(seed: 1, with: flaw)
        }
        #expect(!findings.isEmpty)
    }
}

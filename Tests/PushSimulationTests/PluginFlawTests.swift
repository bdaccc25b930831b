import PushCore
import PushSimulation
import PushTesting
import Testing

/// What would be wrong with a plugin is found, in each of this repository's that can have it.
@Suite(.timeLimit(.minutes(30))) struct PluginFlawTests {
    /// What a plugin can't have, and why.
    private static let impossible: [(why: String, flaws: Set<PluginFlaw>, vendors: [Vendor])] = [
        (
            "The vendor has no list.",
            [
                .listsOne, .listsForAnother, .renamesListed, .listsIncompletely, .listsNothing,
                .endsUnlisted,
            ], [.forgeRock, .plusAuth, .xignIn, .oneSpan]
        ),
        ("No login wants a number.", [.asksForNoNumber], [.powerAuth, .xignIn, .oneSpan]),
        (
            "A login takes one number, or asks for none.", [.endsWrongNumbers],
            [.forgeRock, .plusAuth, .powerAuth, .xignIn, .oneSpan]
        ),
        ("No login wants a proof.", [.asksForNoProof], [.plusAuth, .privacyIDEA, .keycloak]),
        (
            "A push says all, so that nothing is fetched to open it.", [.endsUnopened],
            [.forgeRock, .plusAuth, .privacyIDEA]
        ),
        (
            "The vendor can't be asked about one challenge.", [.endsUnasked],
            [.forgeRock, .plusAuth, .xignIn]
        ),
        ("What is fetched to open it is the engine's to read.", [.endsUnopened], [.oneSpan]),
        ("A push is a hint, which has no title.", [.tellsInNotice], [.powerAuth]),
        (
            "A title is too short for the secret.", [.tellsInNotice], [.xignIn, .privacyIDEA]
        ),
        (
            "The engine keeps the secrets, apart from the credential.",
            [.tellsInNotice, .tellsInObservation], [.oneSpan]
        ),
    ]

    @Test(arguments: Vendor.plugins, PluginFlaw.allCases)
    func `each part finds its flaws, in every plugin that can have them`(
        _ vendor: Vendor, _ flaw: PluginFlaw
    ) async {
        let findings = await ProviderConformance.check([flaw.topic]) { () throws(PushError) in
            try vendor.fixtures(seed: 1, with: flaw)
        }
        let isPossible = !Self.impossible.contains {
            $0.flaws.contains(flaw) && $0.vendors.contains(vendor)
        }
        #expect(findings.isEmpty != isPossible, "\(findings)")
    }
}

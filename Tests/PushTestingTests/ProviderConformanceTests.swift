import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

/// The suite passes what is sound, and finds each flaw.
struct ProviderConformanceTests {
    private func violations(_ flaw: Acme.Flaw? = nil) async throws -> (
        alone: [String], behind: [String]
    ) {
        let (provider, authenticator) = try await AcmeWire.world(flaw)
        let conformance = ProviderConformance(provider, fixtures: try AcmeWire.fixtures())
        return (await conformance.check(), await conformance.check(behind: authenticator))
    }

    @Test func `a sound provider conforms`() async throws {
        let (alone, behind) = try await violations()
        #expect(alone == [])
        #expect(behind == [])
    }

    @Test(
        arguments: [
            (Acme.Flaw.verifiesNothing, "forged message 0 is taken"),
            (.approvesUnknownPrompts, "unknown prompt 0 can be answered with a yes"),
            (.approvesUnknownPrompts, "claims 1 can simply be approved with prompt doubled"),
            (.preparesAnything, "an approval of unknown prompt 0 is prepared"),
            (.recognizesEverything, "foreign message 0 is recognized"),
            (.recognizesEverything, "foreign message 1 is recognized"),
            (.takesIdentifierOutside, "genuine message 0 means something else with mid doubled"),
            (.takesTitleOutside, "genuine message 0 means something else with title doubled"),
            (
                .takesTitleOutside,
                "genuine message 0 means something else with title swapped with message 1"
            ),
            (.approvesByDefault, "claims 1 can simply be approved with prompt dropped"),
            (.refusesEverything, "genuine message 0 is refused: malformed"),
        ] as [(Acme.Flaw, String)])
    func `a flaw of a provider alone is found`(flaw: Acme.Flaw, sentence: String) async throws {
        #expect(try await violations(flaw).alone.contains("acme alone: " + sentence))
    }

    @Test(
        arguments: [
            (Acme.Flaw.verifiesNothing, "something comes of forged message 0"),
            (.verifiesNothing, "forged message 0 leaves a trace in the store"),
            (.takesIdentifierOutside, "genuine message 0 is taken for new with mid doubled"),
            (.takesIdentifierOutside, "changed copies of genuine messages make rows of their own"),
            (.writesBeforeVerifying, "forged message 0 leaves a trace in the store"),
            (
                .ignoresWithdrawals,
                "announcement 0 is shown although it was withdrawn before it came"
            ),
            (.ignoresWithdrawals, "announcement 0 stays open although it was withdrawn"),
            (.hidesExpiry, "expired message 0 is shown as if it had time left"),
            (.refusesEverything, "withdrawal 0 is refused"),
            (.refusesEverything, "genuine message 0 is refused"),
        ] as [(Acme.Flaw, String)])
    func `a flaw of a provider behind an authenticator is found`(
        flaw: Acme.Flaw, sentence: String
    ) async throws {
        let found = try await violations(flaw).behind
        #expect(found.contains("acme behind an authenticator: " + sentence))
    }

    @Test(arguments: Acme.Flaw.allCases.filter { $0 != .ignoresPartOfTheMAC })
    func `no flaw goes unseen`(flaw: Acme.Flaw) async throws {
        let (alone, behind) = try await violations(flaw)
        #expect(!(alone + behind).isEmpty)
    }

    @Test func `a MAC that is compared in part is found if the forged one is close`() async throws {
        let (provider, _) = try await AcmeWire.world(.ignoresPartOfTheMAC)
        var fixtures = try AcmeWire.fixtures()
        let genuine = try #require(fixtures.genuine.first?.content.object)
        var forged = genuine
        forged["mac"] = .string((genuine["mac"]?.string?.prefix(20) ?? "") + "0000")
        fixtures.forged = [try PushMessage(json: JSON.object(forged).data)]
        let found = await ProviderConformance(provider, fixtures: fixtures).check()
        #expect(found == ["acme alone: forged message 0 is taken"])
    }

    @Test func `fixtures without a genuine message check nothing, and say so`() async throws {
        let (provider, _) = try await AcmeWire.world()
        let found = await ProviderConformance(provider, fixtures: .init(genuine: [])).check()
        #expect(found == ["acme alone: there is no genuine message to check with"])
    }

    @Test func `a genuine message that isn't recognized is named`() async throws {
        let (provider, authenticator) = try await AcmeWire.world()
        let long = "acme:" + String(repeating: "x", count: 50)
        let fixtures = ProviderFixtures(genuine: [
            PushMessage(text: long, by: .scanned), PushMessage(fcm: ["a": "b"]),
        ])
        let conformance = ProviderConformance(provider, fixtures: fixtures)
        #expect(
            await conformance.check() == [
                "acme alone: genuine message 0 isn't recognized",
                "acme alone: genuine message 1 isn't recognized",
            ])
        #expect(await conformance.check(behind: authenticator) == [])
    }

    @Test func `a scanned text is changed, too`() async throws {
        let (provider, _) = try await AcmeWire.world()
        let text = "acme scan " + String(repeating: "x", count: 50)
        let fixtures = ProviderFixtures(genuine: [PushMessage(text: text, by: .scanned)])
        let gullible = Scanner(core: provider, believes: { $0.hasPrefix("acme scan") })
        let strict = Scanner(core: provider, believes: { $0 == text })
        #expect(
            await ProviderConformance(gullible, fixtures: fixtures).check()
                .contains(
                    "acme alone: genuine message 0 means something else with the text doubled"))
        #expect(await ProviderConformance(strict, fixtures: fixtures).check() == [])
    }

    @Test(arguments: [true, false])
    func `a message that changes or is refused when it comes again is found`(
        isRefused: Bool
    ) async throws {
        let (provider, _) = try await AcmeWire.world()
        let fickle = Fickle(core: provider, refuses: isRefused)
        let found = await ProviderConformance(fickle, fixtures: try AcmeWire.fixtures()).check()
        let what = isRefused ? "is refused" : "changes"
        #expect(found.contains("acme alone: genuine message 0 \(what) when it comes again"))
    }

    @Test func `a store that fails is reported, not passed`() async throws {
        let store = InMemoryStore()
        await store.refuseWrites { _ in PushError(.storage, "Disk full.") }
        let environment = PushEnvironment(
            transport: SimulatedTransport { _, _ in (.init(status: .ok), Data()) }, store: store,
            verifier: ScriptedVerifier.absent(), device: Device(name: "test"))
        let provider = Acme(in: environment)
        let authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, configuration: AcmeWire.unpaced)
        let found = await ProviderConformance(provider, fixtures: try AcmeWire.fixtures())
            .check(behind: authenticator)
        #expect(found.contains("acme behind an authenticator: genuine message 0 is refused"))
    }
}

/// Announces whatever text it believes.
private struct Scanner: PushProvider {
    let core: Acme
    let believes: @Sendable (String) -> Bool

    var id: ProviderID { "acme" }
    var enroller: any Enroller { core }
    var resolver: any Resolver { core }

    func candidate(in message: PushMessage) -> PushCandidate? {
        message.content.string.map { PushCandidate($0, verifiedBy: event(from:)) }
    }

    private func event(from text: String) async throws(PushError) -> PushEvent {
        guard believes(text) else { throw PushError(.untrusted, "Not believed.") }
        let notice = Notice(id: .init(text, of: AcmeWire.ada), proof: .signature)
        return .notice(Announcement(notice, context: Secret([])))
    }
}

/// Makes something else of a message that it has had.
private struct Fickle: PushProvider {
    let core: Acme
    let refuses: Bool

    var id: ProviderID { core.id }
    var enroller: any Enroller { core }
    var resolver: any Resolver { core }

    func candidate(in message: PushMessage) -> PushCandidate? { core.candidate(in: message) }

    func merged(
        _ known: Announcement, _ other: Announcement
    ) throws(PushError) -> Announcement? {
        guard !refuses else { throw PushError(.untrusted, "It came before.") }
        let notice = Notice(id: known.notice.id, title: "again", proof: known.notice.proof)
        return Announcement(notice, context: known.context)
    }
}

import PushCore
import PushTesting
import Testing

/// The suite passes what is sound, and finds each flaw.
struct ProviderConformanceTests {
    private func violations(_ flaw: Acme.Flaw? = nil) async throws -> (
        alone: [String], behind: [String]
    ) {
        let (provider, authenticator) = try await AcmeWire.world(flaw)
        let conformance = ProviderConformance(
            provider, in: provider.environment, fixtures: try AcmeWire.fixtures())
        return (await conformance.check(), await conformance.check(behind: authenticator))
    }

    @Test func `a sound provider conforms`() async throws {
        let (alone, behind) = try await violations()
        #expect(alone == [])
        #expect(behind == [])
    }

    @Test(
        arguments: [
            (
                Acme.Flaw.verifiesNothing,
                "forged message 0 is taken: expected an error; came notice(…"
            ),
            (
                .approvesUnknownPrompts,
                "unknown prompt 0 can be answered with a yes: expected denyOnly; came approve"
            ),
            (.approvesUnknownPrompts, "claims 1 are more easily approved with prompt doubled…"),
            (
                .preparesAnything,
                "an approval of unknown prompt 0 is prepared: expected an error; came an answer"
            ),
            (.recognizesEverything, "foreign message 0 is recognized: expected no candidate"),
            (.recognizesEverything, "foreign message 1 is recognized: expected no candidate"),
            (.takesIdentifierOutside, "genuine message 0 means something else with mid doubled…"),
            (.takesTitleOutside, "genuine message 0 means something else with title doubled…"),
            (
                .takesTitleOutside,
                "genuine message 0 means something else with title swapped with message 1…"
            ),
            (.approvesByDefault, "claims 1 are more easily approved with prompt dropped…"),
            (.forgetsUnknownProofs, "claims 3 are more easily approved with proof doubled…"),
            (.refusesEverything, "genuine message 0 is refused: malformed"),
        ] as [(Acme.Flaw, String)])
    func `a flaw of a provider alone is found`(flaw: Acme.Flaw, sentence: String) async throws {
        let found = try await violations(flaw).alone
        #expect(found.tell("acme alone: " + sentence), "\(found)")
    }

    @Test(
        arguments: [
            (
                Acme.Flaw.verifiesNothing,
                "something comes of forged message 0: expected nothing; came […"
            ),
            (
                .verifiesNothing,
                "forged message 0 leaves a trace in the store: expected no change; came one of […"
            ),
            (
                .takesIdentifierOutside,
                "genuine message 0 is taken for new with mid doubled: expected nothing new; came […"
            ),
            (
                .takesIdentifierOutside,
                "changed copies of genuine messages make rows of their own: expected …"
            ),
            (
                .writesBeforeVerifying,
                "forged message 0 leaves a trace in the store: expected no change; came one of "
                    + #"["enrollment [\"acme\",\"ada\"]"]"#
            ),
            (
                .ignoresWithdrawals,
                "announcement 0 is shown although it was withdrawn before it came…"
            ),
            (.ignoresWithdrawals, "announcement 0 stays open although it was withdrawn"),
            (.hidesExpiry, "expired message 0 is shown as if it had time left…"),
            (.refusesEverything, "withdrawal 0 is refused: malformed"),
            (.refusesEverything, "genuine message 0 is refused: malformed"),
        ] as [(Acme.Flaw, String)])
    func `a flaw of a provider behind an authenticator is found`(
        flaw: Acme.Flaw, sentence: String
    ) async throws {
        let found = try await violations(flaw).behind
        #expect(found.tell("acme behind an authenticator: " + sentence), "\(found)")
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
        let found = await ProviderConformance(
            provider, in: provider.environment, fixtures: fixtures
        ).check()
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("acme alone: forged message 0 is taken") == true)
    }

    @Test func `fixtures without a genuine message check nothing, and say so`() async throws {
        let (provider, _) = try await AcmeWire.world()
        let found = await ProviderConformance(
            provider, in: provider.environment, fixtures: .init(genuine: [])
        ).check()
        #expect(found == ["acme alone: there is no genuine message to check with"])
    }

    @Test func `a genuine message that isn't recognized is named`() async throws {
        let (provider, authenticator) = try await AcmeWire.world()
        let long = "acme:" + String(repeating: "x", count: 50)
        let fixtures = ProviderFixtures(genuine: [
            PushMessage(text: long, by: .scanned), PushMessage(fcm: ["a": "b"]),
        ])
        let conformance = ProviderConformance(
            provider, in: provider.environment, fixtures: fixtures)
        let found = await conformance.check() + conformance.check(behind: authenticator)
        #expect(
            found == [
                "acme alone: genuine message 0 isn't recognized",
                "acme alone: genuine message 1 isn't recognized",
            ])
    }

    @Test func `a scanned text is changed, too`() async throws {
        let (provider, _) = try await AcmeWire.world()
        let text = "acme scan " + String(repeating: "x", count: 50)
        let fixtures = ProviderFixtures(genuine: [PushMessage(text: text, by: .scanned)])
        let gullible = Scanner(core: provider, believes: { $0.hasPrefix("acme scan") })
        let strict = Scanner(core: provider, believes: { $0 == text })
        let found = await ProviderConformance(
            gullible, in: provider.environment, fixtures: fixtures
        ).check()
        let sentence = "acme alone: genuine message 0 means something else with the text doubled"
        let isFound = found.contains { $0.hasPrefix(sentence) }
        #expect(isFound, "\(found)")
        let none = await ProviderConformance(
            strict, in: provider.environment, fixtures: fixtures
        ).check()
        #expect(none == [])
    }

    @Test(arguments: [true, false])
    func `a message that changes or is refused when it comes again is found`(
        isRefused: Bool
    ) async throws {
        let (provider, _) = try await AcmeWire.world()
        let fickle = Fickle(core: provider, refuses: isRefused)
        let found = await ProviderConformance(
            fickle, in: provider.environment, fixtures: try AcmeWire.fixtures()
        ).check()
        let sentence =
            isRefused
            ? "is refused when it comes again: untrusted"
            : "changes when it comes again: expected Notice("
        let isFound = found.contains { $0.hasPrefix("acme alone: genuine message 0 " + sentence) }
        #expect(isFound, "\(found)")
    }

    @Test func `a store that fails is reported, not passed`() async throws {
        let store = InMemoryStore()
        let (provider, authenticator) = try await AcmeWire.world(keptIn: store)
        await store.refuseWrites { _ in PushError(.storage, "Disk full.") }
        let found = await ProviderConformance(
            provider, in: provider.environment, fixtures: try AcmeWire.fixtures()
        ).check(behind: authenticator)
        #expect(
            found.contains("acme behind an authenticator: genuine message 0 is refused: storage"))
    }

    // MARK: Vendors with a list

    /// A device of ada's whose authenticator has its defaults, and the pushes of three logins that
    /// wait.
    private func waiting(
        for make: (OnlineAcme) -> any PushProvider
    ) async throws -> (
        check: @Sendable (ProviderFixtures) async -> [String], authenticator: PushAuthenticator,
        pushes: [PushMessage]
    ) {
        let clock = ManualClock(AcmeWire.now)
        let server = AcmeServer(clock: clock)
        let environment = PushEnvironment(
            transport: SimulatedTransport(to: server), store: InMemoryStore(),
            verifier: ScriptedVerifier.willing(), clock: clock, device: Device(name: "test"))
        let provider = make(OnlineAcme(in: environment))
        let authenticator = PushAuthenticator(try PluginRegistry([provider]), in: environment)
        try await authenticator.deviceTokenChanged(.fcm("phone"))
        let offers = try authenticator.offers(for: await server.invitation(for: "ada"))
        _ = try await authenticator.enroll(try #require(offers.first))
        for _ in 0..<3 { _ = try await server.startLogin(of: "ada", asking: .confirm) }
        let check: @Sendable (ProviderFixtures) async -> [String] = { fixtures in
            await ProviderConformance(provider, in: environment, fixtures: fixtures)
                .check(behind: authenticator)
        }
        return (check, authenticator, try await server.takePushes().map { try $0.message() })
    }

    // An authenticator with its defaults asks for the list beside whatever a test does next.
    @Test(arguments: 0..<20)
    func `what a list brings in the background isn't taken for a message's result`(
        run: Int
    ) async throws {
        let (check, _, pushes) = try await waiting { $0 }
        let found = await check(.init(genuine: pushes))
        #expect(found == [])
    }

    @Test func `what a list brings after a changed copy isn't taken for the copy's result`()
        async throws
    {
        let (check, authenticator, pushes) = try await waiting { Doubtful(online: $0) }
        let found = await check(.init(genuine: Array(pushes.prefix(1))))
        #expect(found == [])
        #expect(try await authenticator.records().count == pushes.count)
    }
}

/// Asks for the list where it can't verify a message.
private struct Doubtful: PushProvider {
    let online: OnlineAcme

    var id: ProviderID { online.id }
    var capabilities: Capabilities { online.capabilities }
    var pushServices: [DeviceToken.Service] { online.pushServices }
    var enroller: any Enroller { online.enroller }
    var resolver: any Resolver { online.resolver }

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        guard let candidate = online.candidate(in: message) else { return nil }
        return PushMessage.Candidate(message) { (_, accounts) async throws(PushError) in
            let event = await Result { () async throws(PushError) in
                try await candidate.verified(with: accounts)
            }
            return (try? event.get()) ?? .hint(PushEvent.Hint(.challenges, at: [AcmeWire.ada]))
        }
    }
}

/// Announces whatever text it believes.
private struct Scanner: PushProvider {
    let core: Acme
    let believes: @Sendable (String) -> Bool

    var id: ProviderID { "acme" }
    var enroller: any Enroller { core }
    var resolver: any Resolver { core }

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        message.content.string.map {
            PushMessage.Candidate($0) { (text, _) async throws(PushError) in
                guard believes(text) else { throw PushError(.untrusted, "Not believed.") }
                let notice = Notice(id: .init(text, of: AcmeWire.ada), proof: .signature)
                return .notice(Announcement(notice, context: Secret([])))
            }
        }
    }
}

/// Makes something else of a message that it has had.
private struct Fickle: PushProvider {
    let core: Acme
    let refuses: Bool

    var id: ProviderID { core.id }
    var enroller: any Enroller { core }
    var resolver: any Resolver { core }

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        core.candidate(in: message)
    }

    func merged(
        _ known: Announcement, _ other: Announcement
    ) throws(PushError) -> Announcement? {
        guard !refuses else { throw PushError(.untrusted, "It came before.") }
        let notice = Notice(id: known.notice.id, title: "again", proof: known.notice.proof)
        return Announcement(notice, context: known.context)
    }
}

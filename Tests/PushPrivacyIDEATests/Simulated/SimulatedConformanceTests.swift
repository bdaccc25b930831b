import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// What the core asks of every provider, over what a server sends; and every challenge that it never
/// would send.
@Suite struct SimulatedConformanceTests {
    typealias Bad = PrivacyIDEASimulator.BadChallenge

    private static let untrusted: [Bad] = [
        .tampered(field: "question", value: "All is well"),
        .tampered(field: "title", value: "Example Bank."),
        .tampered(field: "url", value: "https://pi.example.com/ttype/pusH"),
        .tampered(field: "sslverify", value: "0"),
        .tampered(field: "require_presence", value: "1,2"), .wrongKey, .pss, .sha1,
        .signatureInBase64, .cutSignature, .emptySignature, .signatureOfCapabilities,
        .tampered(field: "capabilities", value: #"{"decline_reason": true, "x": true}"#),
        .capabilitiesOfAnotherNonce, .wrongCapabilitiesSignature,
        .signed(field: "url", value: "https://evil.example/ttype/push"),
        .signed(field: "url", value: "http://pi.example.com/ttype/push"),
        .signed(field: "url", value: "https://pi.example.com@evil.example/ttype/push"),
        .signed(field: "url", value: "https://pi.example.com:8443/ttype/push"),
    ]

    private static let malformed: [Bad] = [
        .signed(field: "sslverify", value: "2"), .signed(field: "nonce", value: ""),
        .signed(field: "nonce", value: "A|B"), .signed(field: "require_presence", value: ""),
    ]

    private static let approvable: [Bad] = [
        .missing(field: "capabilities_signature"), .tampered(field: "capabilities", value: "{"),
        .tampered(field: "capabilities", value: #"{"decline_reason": 1}"#),
        .signed(field: "sslverify", value: "0"), .capabilities(["decline_reason": false]),
    ]

    private static let deniable: [Bad] = [
        .signed(field: "require_presence", value: "only"),
        .signed(field: "require_presence", value: "A,A,B"),
        .signed(field: "require_presence", value: "A,,B"),
        .signed(field: "require_presence", value: " x,\u{202E}z,y"),
    ]

    private static let foreign: [Bad] =
        ["nonce", "question", "serial", "title", "sslverify", "url", "signature"]
        .map { Bad.missing(field: $0) } + [.tampered(field: "question", value: 7)]

    private func messages(
        _ world: SimulatedWorld, _ all: [Bad?], _ kind: SimulatedLogin.Kind = .confirm
    ) async throws -> [PushMessage] {
        var messages: [PushMessage] = []
        for bad in all {
            _ = try await world.start(kind, spoiledBy: bad)
            messages += try await world.server.takePushes().map { try $0.message() }
        }
        return messages
    }

    private func fixtures(_ world: SimulatedWorld) async throws -> ProviderFixtures {
        var genuine = try await messages(world, [nil])
        genuine += try await messages(world, [nil], .number)
        await world.server.configure { $0.generation = .v313 }
        genuine += try await messages(world, [nil])
        await world.server.configure { $0.generation = .v314 }
        var fixtures = ProviderFixtures(genuine: genuine)
        fixtures.forged = try await messages(world, Self.untrusted)
        fixtures.malformed = try await messages(world, Self.malformed)
        fixtures.malformed += try await messages(world, [.optionsInSSLVerify], .number)
        fixtures.foreign = try await messages(world, Self.foreign)
        fixtures.unknownPrompts = try await messages(world, Self.deniable)
        await world.server.configure { $0.polling = .deny }
        return fixtures
    }

    @Test func `the conformance suite finds nothing in what a server sends`() async throws {
        let (world, _) = try await SimulatedWorld.enrolled()
        let conformance = ProviderConformance(
            world.provider, fixtures: try await fixtures(world))
        #expect(await conformance.check() == [])
        #expect(await conformance.check(behind: world.authenticator) == [])
    }

    @Test(arguments: untrusted)
    func `a push that can't be trusted is refused, and so is its entry of the list`(
        bad: Bad
    ) async throws {
        let (world, id) = try await SimulatedWorld.enrolled()
        let message = try #require(try await messages(world, [bad]).first)
        let error = try await refused { _ = try await world.authenticator.receive(message) }
        #expect(error.code == .untrusted)
        let good = try await world.start()
        _ = await world.server.takePushes()
        #expect(try await world.authenticator.pending(for: id).count == 1)
        let found = try #require(try await world.authenticator.records().first)
        let challenge = try await world.authenticator.challenge(found.id)
        #expect(try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.status(good) == .approved)
    }

    @Test func `a push with another token's signature is refused`() async throws {
        let (world, _) = try await SimulatedWorld.enrolled()
        try await world.enroll("bob", serial: "T2")
        let message = try #require(
            try await messages(world, [.signedWithKey(ofToken: "T2")]).first)
        let error = try await refused { _ = try await world.authenticator.receive(message) }
        #expect(error.code == .untrusted)
    }

    @Test(arguments: malformed)
    func `a push that is signed but no challenge is malformed`(bad: Bad) async throws {
        let (world, _) = try await SimulatedWorld.enrolled()
        let message = try #require(try await messages(world, [bad]).first)
        let error = try await refused { _ = try await world.authenticator.receive(message) }
        #expect(error.code == .malformed)
    }

    @Test(arguments: foreign)
    func `a push without the fields of a challenge is somebody else's`(bad: Bad) async throws {
        let (world, _) = try await SimulatedWorld.enrolled()
        let message = try #require(try await messages(world, [bad]).first)
        #expect(world.provider.candidate(in: message) == nil)
    }

    @Test(arguments: approvable)
    func `a challenge without usable capabilities is answered without a reason`(
        bad: Bad
    ) async throws {
        let (world, _) = try await SimulatedWorld.enrolled()
        for resolution in [Resolution.approve, .deny(.ignore)] {
            let login = try await world.start(spoiledBy: bad)
            let id = try #require(try await world.receive().first?.challenge)
            let challenge = try await world.authenticator.challenge(id)
            #expect(
                try await world.authenticator.resolve(challenge, with: resolution) == .delivered)
            let isYes = resolution == .approve
            let isPlain = bad != .signed(field: "sslverify", value: "0")
            let no = isPlain ? "DECLINED declined" : "DECLINED cancelled"
            #expect(try await world.state(login) == (isYes ? "ACCEPT accept" : no))
        }
    }

    @Test(arguments: deniable)
    func `options that can't be chosen from can be denied`(bad: Bad) async throws {
        let (world, _) = try await SimulatedWorld.enrolled()
        let login = try await world.start(spoiledBy: bad)
        let id = try #require(try await world.receive().first?.challenge)
        let challenge = try await world.authenticator.challenge(id)
        guard case .denyOnly = challenge.prompt else {
            Issue.record("It can be answered with \(challenge.prompt).")
            return
        }
        #expect(
            try await world.authenticator.resolve(challenge, with: .deny(.unexpected)) == .delivered
        )
        #expect(try await world.status(login) == .denied)
    }

    @Test(arguments: [
        Bad.signed(field: "title", value: "b|c"), .signed(field: "question", value: "a|b"),
        .titleReadAsOptions,
    ])
    func `a push with two readings only sends the app to the list`(bad: Bad) async throws {
        let (world, _) = try await SimulatedWorld.enrolled()
        let message = try #require(try await messages(world, [bad]).first)
        let candidate = try #require(world.provider.candidate(in: message))
        guard case .hint(let hint) = try await candidate.verified() else {
            Issue.record("Something of it would be shown.")
            return
        }
        #expect(hint.topic == .challenges)
    }
}

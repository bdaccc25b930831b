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
        _ harness: SimulatedHarness, _ all: [Bad?], _ kind: SimulatedLogin.Kind = .confirm
    ) async throws -> [PushMessage] {
        var messages: [PushMessage] = []
        for bad in all {
            _ = try await harness.start(kind, spoiledBy: bad)
            messages += try await harness.server.takePushes().map { try $0.message() }
        }
        return messages
    }

    private func fixtures(_ harness: SimulatedHarness) async throws -> ProviderFixtures {
        var genuine = try await messages(harness, [nil])
        genuine += try await messages(harness, [nil], .number)
        await harness.server.configure { $0.generation = .v313 }
        genuine += try await messages(harness, [nil])
        await harness.server.configure { $0.generation = .v314 }
        var fixtures = ProviderFixtures(genuine: genuine)
        fixtures.forged = try await messages(harness, Self.untrusted)
        fixtures.malformed = try await messages(harness, Self.malformed)
        fixtures.malformed += try await messages(harness, [.optionsInSSLVerify], .number)
        fixtures.foreign = try await messages(harness, Self.foreign)
        fixtures.unknownPrompts = try await messages(harness, Self.deniable)
        await harness.server.configure { $0.polling = .deny }
        return fixtures
    }

    @Test func `the conformance suite finds nothing in what a server sends`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let conformance = ProviderConformance(
            harness.provider, in: harness.environment, fixtures: try await fixtures(harness))
        let findings =
            await conformance.check() + conformance.check(behind: harness.authenticator)
        #expect(findings == [])
    }

    @Test(arguments: untrusted)
    func `a push that can't be trusted is refused, and so is its entry of the list`(
        bad: Bad
    ) async throws {
        let (harness, id) = try await SimulatedHarness.enrolled()
        let message = try #require(try await messages(harness, [bad]).first)
        let error = try await refusal { _ = try await harness.authenticator.receive(message) }
        #expect(error.code == .untrusted)
        let good = try await harness.start()
        _ = await harness.server.takePushes()
        #expect(try await harness.authenticator.pending(for: id).count == 1)
        let found = try #require(try await harness.authenticator.records().first)
        let challenge = try await harness.authenticator.challenge(found.id)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(good) == .approved)
    }

    @Test func `a push with another token's signature is refused`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        try await harness.enroll("bob", serial: "T2")
        let message = try #require(
            try await messages(harness, [.signedWithKey(ofToken: "T2")]).first)
        let error = try await refusal { _ = try await harness.authenticator.receive(message) }
        #expect(error.code == .untrusted)
    }

    @Test(arguments: malformed)
    func `a push that is signed but no challenge is malformed`(bad: Bad) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let message = try #require(try await messages(harness, [bad]).first)
        let error = try await refusal { _ = try await harness.authenticator.receive(message) }
        #expect(error.code == .malformed)
    }

    @Test(arguments: foreign)
    func `a push without the fields of a challenge is somebody else's`(bad: Bad) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let message = try #require(try await messages(harness, [bad]).first)
        #expect(harness.provider.candidate(in: message) == nil)
    }

    @Test(arguments: approvable)
    func `a challenge without usable capabilities is answered without a reason`(
        bad: Bad
    ) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        for resolution in [Resolution.approve, .deny(.ignore)] {
            let login = try await harness.start(spoiledBy: bad)
            let id = try #require(try await harness.receive(from: harness.server).first?.challenge)
            let challenge = try await harness.authenticator.challenge(id)
            #expect(
                try await harness.authenticator.resolve(challenge, with: resolution) == .delivered)
            let isYes = resolution == .approve
            let isPlain = bad != .signed(field: "sslverify", value: "0")
            let no = isPlain ? "DECLINED declined" : "DECLINED cancelled"
            #expect(try await harness.state(login) == (isYes ? "ACCEPT accept" : no))
        }
    }

    @Test(arguments: deniable)
    func `options that can't be chosen from can be denied`(bad: Bad) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let login = try await harness.start(spoiledBy: bad)
        let id = try #require(try await harness.receive(from: harness.server).first?.challenge)
        let challenge = try await harness.authenticator.challenge(id)
        guard case .denyOnly = challenge.prompt else {
            Issue.record("It can be answered with \(challenge.prompt).")
            return
        }
        #expect(
            try await harness.authenticator.resolve(challenge, with: .deny(.unexpected))
                == .delivered
        )
        #expect(try await harness.status(login) == .denied)
    }

    @Test(arguments: [
        Bad.signed(field: "title", value: "b|c"), .signed(field: "question", value: "a|b"),
        .titleReadAsOptions,
    ])
    func `a push with two readings only sends the app to the list`(bad: Bad) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let message = try #require(try await messages(harness, [bad]).first)
        let candidate = try #require(harness.provider.candidate(in: message))
        guard case .hint(let hint) = try await candidate.verified(with: harness.accounts) else {
            Issue.record("Something of it would be shown.")
            return
        }
        #expect(hint.topic == .challenges)
    }
}

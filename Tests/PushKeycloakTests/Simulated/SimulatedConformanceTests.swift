import PushCore
import PushKeycloakSimulator
import PushTesting
import Testing

@testable import PushKeycloak

/// What the core asks of every provider, over what a realm sends; and every token that it never would
/// send.
@Suite struct SimulatedConformanceTests {
    typealias Bad = KeycloakSimulator.BadToken

    private static let untrusted: [Bad] = [
        .tampered(claim: "exp", value: 1_760_009_999), .tampered(claim: "typ", value: 2),
        .wrongKey, .unknownKey, .hs256, .signatureInAnotherForm, .cutSignature,
        .claim("iss", "https://sso.example/realms/other"),
    ]

    private static let malformed: [Bad] = [
        .claim("cid", "1"), .claim("exp", "tomorrow"), .missing(claim: "exp"),
        .claim("typ", "Bearer"), .missing(claim: "ver"),
    ]

    private static let foreign: [Bad] = [
        .missing(claim: "credId"), .missing(claim: "cid"), .missing(claim: "iss"), .otherKind,
    ]

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

    @Test func `the conformance suite finds nothing in what a realm sends`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled { $0.maxPendingChallenges = 30 }
        var genuine = try await messages(harness, [nil])
        genuine += try await messages(harness, [nil], .number)
        var fixtures = ProviderFixtures(genuine: genuine)
        fixtures.forged = try await messages(harness, Self.untrusted)
        fixtures.malformed = try await messages(harness, Self.malformed)
        fixtures.foreign = try await messages(harness, Self.foreign)
        let conformance = ProviderConformance(
            harness.provider, in: harness.environment, fixtures: fixtures)
        let findings =
            await conformance.check() + conformance.check(behind: harness.authenticator)
        #expect(findings == [])
    }

    @Test(arguments: [KeycloakSimulator.NumberCheck.match, .pin(length: 6)])
    func `the conformance suite finds nothing between the provider and a realm`(
        check: KeycloakSimulator.NumberCheck
    ) async throws {
        let findings = await ProviderConformance.check { () async throws(PushError) in
            let clock = ManualClock(Sample.now)
            let vendor = KeycloakSimulator(clock: clock) { $0.numberCheck = check }
            var fixtures = VendorFixtures(simulator: vendor, clock: clock) {
                (environment) throws(PushError) in
                let configuration = KeycloakConfiguration(realms: [try Sample.realm()])
                return Keycloak(configuration: configuration, in: environment)
            }
            fixtures.lifetime = .seconds(240)
            fixtures.openLogins = 1
            fixtures.secrets = { _ in ["device-client-secret"] }
            return fixtures
        }
        #expect(findings == [])
    }

    @Test(arguments: untrusted)
    func `a push that can't be trusted is refused, and the list brings the login`(
        bad: Bad
    ) async throws {
        let (harness, id) = try await SimulatedHarness.enrolled()
        let login = try await harness.start(spoiledBy: bad)
        let error = try await refusal { try await harness.receive(from: harness.server) }
        #expect(error.code == .untrusted)
        let found = try #require(try await harness.authenticator.pending(for: id).first?.challenge)
        let challenge = try await harness.authenticator.challenge(found)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test(arguments: malformed)
    func `a push that is signed but no challenge is malformed`(bad: Bad) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        _ = try await harness.start(spoiledBy: bad)
        #expect(
            try await refusal { try await harness.receive(from: harness.server) }.code == .malformed
        )
    }

    @Test(arguments: foreign)
    func `a push without what leads to its enrollment is somebody else's`(bad: Bad) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let message = try #require(try await messages(harness, [bad]).first)
        #expect(harness.provider.candidate(in: message) == nil)
    }

    @Test(arguments: [
        Bad.tampered(claim: "sub", value: "somebody"), .wrongKey, .unknownKey, .hs256,
        .signatureInAnotherForm, .cutSignature, .claim("aud", "other"),
    ])
    func `a code that can't be trusted enrolls nobody`(bad: Bad) async throws {
        let harness = try await SimulatedHarness()
        let code = try await harness.code(spoiledBy: bad)
        #expect(try await refusal { try await harness.enroll(code) }.code == .untrusted)
        #expect(await harness.server.devices(of: "ada").isEmpty)
        #expect(try await harness.authenticator.enrollments().isEmpty)
    }
}

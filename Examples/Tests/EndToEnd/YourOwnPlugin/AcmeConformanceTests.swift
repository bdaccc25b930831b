import Foundation
import PushAcme
import PushAcmeSimulator
import PushCore
import PushTesting
import Testing

@Suite struct `Acme's conformance` {
    // snippet: conformance
    @Test func `the suite finds nothing, alone and behind an authenticator`() async throws {
        let (world, enrollment) = try await AcmeHarness.enrolled()
        let fixtures = try await fixtures(world, enrollment)
        let conformance = ProviderConformance(
            world.provider, in: world.environment, fixtures: fixtures)
        let findings = await conformance.check() + conformance.check(behind: world.authenticator)
        #expect(findings == [])
    }
    // end snippet

    // snippet: server
    @Test func `the suite finds nothing against Acme's whole server`() async {
        let findings = await ProviderConformance.check { () throws(PushError) in
            let clock = ManualClock(Date(timeIntervalSince1970: 1_760_000_000))
            return VendorFixtures(
                simulator: AcmeSimulator(clock: clock, random: SeededRandom(seed: 1)), clock: clock
            ) { Acme(in: $0) }
        }
        #expect(findings == [])
    }
    // end snippet

    @Test func `every fixture is what it says`() async throws {
        let (world, enrollment) = try await AcmeHarness.enrolled()
        let fixtures = try await fixtures(world, enrollment)
        let mine = fixtures.genuine + fixtures.forged + fixtures.malformed + fixtures.expired
        #expect(mine.allSatisfy { world.provider.candidate(in: $0) != nil })
        #expect(fixtures.foreign.allSatisfy { world.provider.candidate(in: $0) == nil })
        for message in fixtures.forged {
            #expect(await code(of: message, world) == .untrusted)
        }
        for message in fixtures.malformed {
            #expect(await code(of: message, world) == .malformed)
        }
        for message in fixtures.expired {
            let kinds = try await world.authenticator.receive(message).map(\.kind)
            guard case .over(let withdrawal)? = kinds.first else {
                Issue.record("Its time is over by Acme's clock.")
                continue
            }
            #expect(withdrawal.reason == .expired)
        }
    }

    private func code(of message: PushMessage, _ world: AcmeHarness) async -> PushError.Code? {
        do throws(PushError) {
            _ = try await world.event(from: message)
            return nil
        } catch {
            return error.code
        }
    }

    private func fixtures(
        _ world: AcmeHarness, _ enrollment: Enrollment
    ) async throws -> ProviderFixtures {
        let (simulator, device) = (world.simulator, enrollment.id.name)
        let expired = try await world.changed("text", to: "Too late.", for: enrollment)
        world.clock.advance(by: .seconds(600))
        // Acme's time comes with its replies.
        try await world.authenticator.deviceTokenChanged(.fcm("phone-2"))

        var fixtures = ProviderFixtures(genuine: [
            try await world.changed("text", to: "Sign in?", for: enrollment),
            try await world.changed("text", to: "Pay 100 €?", for: enrollment),
        ])
        fixtures.expired = [expired]
        fixtures.unknownPrompts = [
            try await world.changed("prompt", to: "retina", for: enrollment),
            try await world.changed("prompt", to: nil, for: enrollment),
        ]
        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        let claims = try await simulator.claims(of: login.id, kind: "login")
        let otherKey = Secret([UInt8](repeating: 7, count: 32))
        fixtures.forged = [
            try await simulator.sign(claims, for: device, with: otherKey).message(),
            try replaced(fixtures.genuine[0], "acme", by: .string(claims.text)),
            try replaced(fixtures.genuine[0], "mac", by: "AAAA"),
        ]
        fixtures.malformed = [
            try replaced(fixtures.genuine[0], "device", by: nil),
            try replaced(fixtures.genuine[0], "mac", by: "not base64!"),
            try await world.changed("challenge", to: nil, for: enrollment),
            try await world.changed("expires", to: "soon", for: enrollment),
            try await simulator.sign("no object", for: device).message(),
        ]
        fixtures.foreign = [
            try PushMessage(json: Data(#"{"aps": {"alert": "The app's own."}}"#.utf8)),
            try PushMessage(json: Data(#"{"acme": {"of": "another"}}"#.utf8)),
        ]
        fixtures.signing = ProviderFixtures.Signing(claims: [claims]) {
            (claims) throws(PushError) in
            try await simulator.sign(claims, for: device).message()
        }
        let answer = try await simulator.claims(of: login.id, kind: "answered")
        fixtures.withdrawals = [
            ProviderFixtures.Pair(
                announcement: try await simulator.sign(claims, for: device).message(),
                withdrawal: try await simulator.sign(answer, for: device).message())
        ]
        _ = await simulator.takePushes()
        return fixtures
    }

    private func replaced(
        _ message: PushMessage, _ name: String, by value: JSON?
    ) throws -> PushMessage {
        var members = message.content.object ?? [:]
        members[name] = value
        return try PushMessage(json: JSON.object(members).data)
    }
}

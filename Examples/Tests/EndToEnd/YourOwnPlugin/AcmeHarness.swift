import Foundation
import PushAcme
import PushAcmeSimulator
import PushCore
import PushTesting

/// Acme's server, a network with faults, and a device of the user jane.
struct AcmeHarness {
    let clock = ManualClock(Date(timeIntervalSince1970: 1_760_000_000))
    let faults = FaultPlan()
    let simulator: AcmeSimulator
    let transport: SimulatedTransport
    let environment: PushEnvironment
    let provider: Acme
    let authenticator: PushAuthenticator

    init() throws {
        simulator = AcmeSimulator(clock: clock, random: SeededRandom(seed: 1))
        transport = SimulatedTransport(to: simulator, faults: faults)
        environment = Self.environment(over: transport, clock)
        provider = Acme(in: environment)
        authenticator = PushAuthenticator(try PluginRegistry([provider]), in: environment)
    }

    /// A device's.
    static func environment(
        over transport: SimulatedTransport, _ clock: ManualClock
    ) -> PushEnvironment {
        PushEnvironment(
            transport: transport, store: InMemoryStore(), verifier: ScriptedVerifier.absent(),
            clock: clock, random: SeededRandom(seed: 2), device: Device(name: "Test"))
    }

    static func enrolled() async throws -> (AcmeHarness, Enrollment) {
        let world = try AcmeHarness()
        return (world, try await world.enroll())
    }

    func enroll() async throws -> Enrollment {
        try await authenticator.deviceTokenChanged(.fcm("phone"))
        return try await Self.enroll(authenticator, by: await simulator.invitation(for: "jane"))
    }

    static func enroll(
        _ authenticator: PushAuthenticator, by invitation: Invitation
    ) async throws -> Enrollment {
        guard let offer = try authenticator.offers(for: invitation).first else {
            throw PushError(.invalidInvitation, "Nobody's code.")
        }
        return try await authenticator.enroll(offer)
    }

    /// What the provider alone makes of a push.
    func event(from push: PushMessage) async throws(PushError) -> PushEvent? {
        try await provider.candidate(in: push)?
            .verified(with: environment.accounts(for: provider.id))
    }

    /// Starts a login and opens its challenge.
    func open() async throws -> Challenge {
        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        for push in await simulator.takePushes() {
            for reception in try await authenticator.receive(push.message())
            where reception.challenge?.name == login.id {
                if let id = reception.challenge { return try await authenticator.challenge(id) }
            }
        }
        throw PushError(.notFound, "No push announced the login.")
    }

    /// A push with one of Acme's claims changed, and signed again.
    func changed(
        _ name: String, to value: JSON?, for enrollment: Enrollment
    ) async throws -> PushMessage {
        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        var claims = try await simulator.claims(of: login.id, kind: "login").object ?? [:]
        claims[name] = value
        return try await simulator.sign(.object(claims), for: enrollment.id.name).message()
    }
}

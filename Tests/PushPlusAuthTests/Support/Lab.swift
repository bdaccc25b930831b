import PushCore
import PushPlusAuth
import PushPlusAuthSimulator
import PushTesting
import Testing

/// A tenant, and the apps that use it.
struct Lab {
    let clock = ManualClock(WorkedExample.now)
    let tenant: PlusAuthSimulator

    init(_ change: @Sendable (inout PlusAuthSimulator.Configuration) -> Void = { _ in }) {
        var configuration = PlusAuthSimulator.Configuration(clock: clock)
        change(&configuration)
        tenant = PlusAuthSimulator(configuration)
    }

    func app(
        _ configuration: PlusAuth.Configuration = .ec(), platform: Device.Platform = .apple
    ) throws -> (authenticator: PushAuthenticator, faults: FaultPlan) {
        let faults = FaultPlan()
        let environment = PushEnvironment(
            transport: SimulatedTransport(to: tenant, faults: faults), store: InMemoryStore(),
            verifier: ScriptedVerifier.willing(), clock: clock,
            device: Device(name: "Pixel 8", platform: platform))
        let provider = PlusAuth(configuration: configuration, in: environment)
        return (
            PushAuthenticator(try PluginRegistry([provider]), in: environment), faults
        )
    }

    func enroll(_ app: PushAuthenticator, token: String = "fcm-1") async throws {
        try await app.deviceTokenChanged(.fcm(token))
        let offers = try await app.offers(for: tenant.invitation(for: "ada"))
        _ = try await app.enroll(#require(offers.first))
    }

    /// The challenges that the tenant's pushes announce at one app.
    func challenges(
        at app: PushAuthenticator, token: String = "fcm-1", pushes: [SimulatedPush]
    ) async throws -> [Challenge] {
        var challenges: [Challenge] = []
        for push in pushes where push.deviceToken == .fcm(token) {
            for reception in try await app.receive(push.message()) {
                challenges.append(try await app.challenge(#require(reception.challenge)))
            }
        }
        return challenges
    }
}

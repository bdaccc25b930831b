import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushSealing
import PushTesting

/// A device of a fleet, and a vendor of its own that asks it: one approval after the other.
actor Approver {
    private let simulator = ForgeRockSimulator()
    private let phone: PushAuthenticator

    /// Enrolls a device in a scope of a store.
    init(_ store: any CredentialStore, scope: String?) async throws {
        let simulator = simulator
        let environment = PushEnvironment(
            transport: SimulatedTransport { request, body in
                await simulator.respond(to: request, body: body)
            },
            store: scope.map { ScopedStore(store, scope: $0) } ?? store,
            verifier: ScriptedVerifier.willing(), device: Device(name: "bench"))
        var configuration = PushConfiguration()
        // Of logins that come by the hundred a second, none is kept in mind as a user's would be.
        configuration.bursts = .warn(.init(window: .milliseconds(1)))
        phone = PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment,
            configuration: configuration)
        try await phone.deviceTokenChanged(.fcm("token"))
        guard let offer = try phone.offers(for: try await simulator.invitation(for: "ada")).first
        else { throw PushError(.invalidInvitation, "There is no offer.") }
        _ = try await phone.enroll(offer)
    }

    /// A login: a push comes, its challenge is opened and approved.
    func approve() async throws {
        _ = try await simulator.startLogin(of: "ada", asking: .confirm)
        guard let push = await simulator.takePushes().last else {
            throw PushError(.notFound, "There is no push.")
        }
        guard let id = try await phone.receive(try push.message()).compactMap(\.challenge).first
        else { throw PushError(.notFound, "The push announces nothing.") }
        let outcome = try await phone.resolve(try await phone.challenge(id), with: .approve)
        guard outcome == .delivered else {
            throw PushError(.conflict, "The answer ends as \(outcome).")
        }
    }
}

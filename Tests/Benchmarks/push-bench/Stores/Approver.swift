import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushTesting

/// Devices, and a vendor of their own that asks one after the other: one approval at a time.
actor Approver {
    private let simulator: ForgeRockSimulator
    private var phones: [PushAuthenticator] = []
    private var count = 0

    /// Enrolls devices.
    ///
    /// - Parameters:
    ///   - stores: The store of each.
    ///   - retention: What they remember.
    /// - Throws: What enrolling throws.
    init(_ stores: [any CredentialStore], remembering retention: Retention) async throws {
        var configuration = ForgeRockSimulator.Configuration()
        configuration.messageTimeout = .seconds(3_600)
        simulator = ForgeRockSimulator(configuration)
        for (number, store) in stores.enumerated() {
            phones.append(try await phone(over: store, of: Self.user(number), retention))
        }
    }

    private static func user(_ number: Int) -> String { "user-\(number)" }

    private func phone(
        over store: any CredentialStore, of user: String, _ retention: Retention
    ) async throws -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: SimulatedTransport { [simulator] request, body in
                await simulator.respond(to: request, body: body)
            },
            store: store, verifier: ScriptedVerifier.willing(), device: Device(name: "bench"))
        var configuration = PushConfiguration()
        // Of logins that come by the hundred a second, none is kept in mind as a user's would be.
        configuration.bursts = .warn(.init(window: .milliseconds(1)))
        configuration.retention = retention
        let phone = PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment,
            configuration: configuration)
        try await phone.deviceTokenChanged(.fcm("token"))
        guard let offer = try phone.offers(for: try await simulator.invitation(for: user)).first
        else { throw PushError(.invalidInvitation, "There is no offer.") }
        _ = try await phone.enroll(offer)
        return phone
    }

    /// A login on the next device: a push comes, its challenge is opened and approved.
    func approve() async throws {
        let number = count % phones.count
        count += 1
        let id = try await announce(to: number)
        let phone = phones[number]
        let outcome = try await phone.resolve(try await phone.challenge(id), with: .approve)
        guard outcome == .delivered else {
            throw PushError(.conflict, "The answer ends as \(outcome).")
        }
    }

    /// Logins on the first device that wait, opened, and get no answer.
    func leaveOpen(_ count: Int) async throws {
        for _ in 0..<count { _ = try await phones[0].challenge(try await announce(to: 0)) }
    }

    private func announce(to number: Int) async throws -> Challenge.ID {
        _ = try await simulator.startLogin(of: Self.user(number), asking: .confirm)
        guard let push = await simulator.takePushes().last else {
            throw PushError(.notFound, "There is no push.")
        }
        guard
            let id = try await phones[number].receive(try push.message()).compactMap(\.challenge)
                .first
        else { throw PushError(.notFound, "The push announces nothing.") }
        return id
    }
}

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
        let phone = try await PushAuthenticator.ofForgeRock(in: environment, retention)
        guard let offer = try phone.offers(for: try await simulator.invitation(for: user)).first
        else { throw PushError(.invalidInvitation, "There is no offer.") }
        _ = try await phone.enroll(offer)
        return phone
    }

    /// A login on the next device: a push comes, its challenge is opened and approved.
    func approve() async throws {
        let number = count % phones.count
        count += 1
        try await phones[number].approve(try await push(to: number))
    }

    /// Logins on the first device that wait, opened, and get no answer.
    func leaveOpen(_ count: Int) async throws {
        for _ in 0..<count { _ = try await phones[0].opened(try await push(to: 0)) }
    }

    private func push(to number: Int) async throws -> PushMessage {
        _ = try await simulator.startLogin(of: Self.user(number), asking: .confirm)
        guard let push = await simulator.takePushes().last else {
            throw PushError(.notFound, "There is no push.")
        }
        return try push.message()
    }
}

extension PushAuthenticator {
    /// A device that takes ForgeRock's pushes. Of logins that come by the hundred a second, none is kept
    /// in mind as a user's would be.
    static func ofForgeRock(
        in environment: PushEnvironment, _ retention: Retention = Retention()
    ) async throws -> PushAuthenticator {
        var configuration = PushConfiguration()
        configuration.bursts = .warn(.init(window: .milliseconds(1)))
        configuration.retention = retention
        let phone = PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment,
            configuration: configuration)
        try await phone.deviceTokenChanged(.fcm("token"))
        return phone
    }

    /// Receives a push, and opens its challenge.
    func opened(_ push: PushMessage) async throws -> Challenge {
        guard let id = try await receive(push).compactMap(\.challenge).first else {
            throw PushError(.notFound, "The push announces nothing.")
        }
        return try await challenge(id)
    }

    /// A login: its push comes, its challenge is opened and approved.
    func approve(_ push: PushMessage) async throws {
        let outcome = try await resolve(try await opened(push), with: .approve)
        guard outcome == .delivered else {
            throw PushError(.conflict, "The answer ends as \(outcome).")
        }
    }
}

import Foundation
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushSealing
import PushTesting
import Testing

@testable import PushAuthCommand

struct `what a process finds unfinished in its fleet` {
    private let records = InMemoryStore([.atomic, .shared])
    private let device = FleetDevice.ID(random: SeededRandom(seed: 3))

    /// Puts a challenge on record that nobody judges.
    private func receiveLogin() async throws {
        let simulator = ForgeRockSimulator()
        let environment = PushEnvironment(
            transport: SimulatedTransport { await simulator.respond(to: $0, body: $1) },
            store: ScopedStore(records, scope: device.scope), verifier: ScriptedVerifier.absent(),
            device: Device(name: "phone"))
        let authenticator = PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment)
        try await authenticator.deviceTokenChanged(.fcm("token"))
        let invitation = try await simulator.invitation(for: "ada")
        _ = try await authenticator.enroll(
            try #require(try authenticator.offers(for: invitation).first))
        _ = try await simulator.startLogin(of: "ada", asking: .confirm)
        let push = try #require(await simulator.takePushes().first)
        _ = try await authenticator.receive(try PushMessage(json: push.payload))
    }

    @Test func `a challenge is judged once it has waited, and then waits for a person`()
        async throws
    {
        try await receiveLogin()
        let patient = Backlog(records, patience: .seconds(3600), judges: true)
        #expect(try await patient.due().isEmpty)
        #expect(try await patient.due(takingAll: true)[device]?.count == 1)
        let backlog = Backlog(records, patience: .zero, judges: true)
        let names = try #require(try await backlog.due()[device])
        #expect(names.count == 1)
        await backlog.noteJudged(names, of: device)
        #expect(try await backlog.due().isEmpty)
        #expect(await backlog.gauges[.unfinished] == 1)
    }

    @Test func `a clock that is an hour ahead keeps no challenge from being judged`()
        async throws
    {
        try await receiveLogin()
        let backlog = Backlog(records, patience: .zero, judges: true) { Date() + 3600 }
        let names = try #require(try await backlog.due()[device])
        #expect(names.count == 1)
        await backlog.noteJudged(names, of: device)
        // The server's clock is asked again and again whether it has expired.
        #expect(try await backlog.due()[device] == [])
    }

    @Test func `without a rule nothing is judged`() async throws {
        try await receiveLogin()
        let backlog = Backlog(records, patience: .zero, judges: false)
        #expect(try await backlog.due(takingAll: true).isEmpty)
    }
}

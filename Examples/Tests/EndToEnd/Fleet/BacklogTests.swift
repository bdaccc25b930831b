import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushSealing
import PushTesting
import Testing

@testable import PushAuthCommand

struct `what a process finds unfinished in its fleet` {
    private let records = InMemoryStore(isShared: true)
    private let device = FleetDevice.ID(random: SeededRandom(seed: 3))
    private let simulator = ForgeRockSimulator()
    private let isAway = Switch()
    private let phone: PushAuthenticator

    init() async throws {
        let environment = PushEnvironment(
            transport: SimulatedTransport { [simulator, isAway] request, body in
                await isAway.isOn
                    ? (HTTPResponse(status: .serviceUnavailable), Data())
                    : await simulator.respond(to: request, body: body)
            },
            store: ScopedStore(records, scope: device.scope), verifier: ScriptedVerifier.absent(),
            device: Device(name: "phone"))
        var configuration = PushConfiguration()
        configuration.backoff.tries = 0
        phone = PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment,
            configuration: configuration)
        try await phone.deviceTokenChanged(.fcm("token"))
        let invitation = try await simulator.invitation(for: "ada")
        _ = try await phone.enroll(try #require(try phone.offers(for: invitation).first))
    }

    /// Puts a challenge on record that nobody judges.
    private func receiveLogin() async throws -> Challenge.ID {
        _ = try await simulator.startLogin(of: "ada", asking: .confirm)
        let push = try #require(await simulator.takePushes().first)
        let receptions = try await phone.receive(try PushMessage(json: push.payload))
        return try #require(receptions.first?.challenge)
    }

    @Test func `a challenge is judged once it has waited, and then waits for a person`()
        async throws
    {
        let id = try await receiveLogin()
        let patient = Backlog(records, patience: .seconds(3600), judges: true)
        #expect(try await patient.due().isEmpty)
        #expect(try await patient.due(takingAll: true) == [device: [id]])
        let backlog = Backlog(records, patience: .zero, judges: true)
        #expect(try await backlog.due() == [device: [id]])
        await backlog.noteJudged([id], of: device)
        #expect(try await backlog.due().isEmpty)
        #expect(await backlog.gauges[.unfinished] == 1)
    }

    @Test func `what was judged isn't judged again as another challenge comes`() async throws {
        let first = try await receiveLogin()
        let backlog = Backlog(records, patience: .zero, judges: true)
        #expect(try await backlog.due() == [device: [first]])
        await backlog.noteJudged([first], of: device)
        let second = try await receiveLogin()
        #expect(try await backlog.due() == [device: [second]])
        #expect(await backlog.gauges[.unfinished] == 2)
    }

    @Test func `a decision that its vendor wasn't told is due at once, and isn't judged`()
        async throws
    {
        let id = try await receiveLogin()
        let backlog = Backlog(records, patience: .seconds(3600), judges: true)
        #expect(try await backlog.due().isEmpty)
        await isAway.turn(on: true)
        guard case .unknown = try await phone.deny(id) else {
            throw PushError(.notFound, "The vendor was told.")
        }
        #expect(try await backlog.due() == [device: []])
        await isAway.turn(on: false)
        _ = try await phone.resume()
        #expect(try await backlog.due().isEmpty)
        #expect(await backlog.gauges[.unfinished] == 0)
    }

    @Test func `a clock that is an hour ahead keeps no challenge from being judged`()
        async throws
    {
        let id = try await receiveLogin()
        let backlog = Backlog(records, patience: .zero, judges: true) { Date() + 3600 }
        #expect(try await backlog.due() == [device: [id]])
        await backlog.noteJudged([id], of: device)
        // The server's clock is asked again and again whether it has expired.
        #expect(try await backlog.due() == [device: []])
    }

    @Test func `without a rule nothing is judged`() async throws {
        _ = try await receiveLogin()
        let backlog = Backlog(records, patience: .zero, judges: false)
        #expect(try await backlog.due(takingAll: true).isEmpty)
    }
}

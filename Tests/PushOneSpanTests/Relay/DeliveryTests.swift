import Foundation
import HTTPTypes
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// Answers whose replies are lost, forged or late.
@Suite struct DeliveryTests {
    /// A world with an open, fetched login.
    private func opened() async throws -> (World, SimulatedLogin, Challenge) {
        let world = try await World.activated()
        let (login, id) = try await world.login()
        return (world, login, try await world.authenticator.challenge(id))
    }

    @Test func `a lost reply is asked for again with the same bytes`() async throws {
        let (world, login, challenge) = try await opened()
        await world.faults.next(.dropAfter)
        guard
            case .unknown = try await world.authenticator.resolve(challenge, with: .approve)
        else {
            Issue.record("Nobody knows yet.")
            return
        }
        #expect(try await world.simulator.status(of: login.id) == .approved)
        #expect(try await world.authenticator.resume() == [challenge.id: .delivered])
        let sent = try await world.commands()
        #expect(sent.suffix(2).first == sent.last)
    }

    @Test func `an answer survives the death of the process`() async throws {
        for fault in [.dropBefore, .dropAfter] as [FaultPlan.Fault] {
            let (world, login, challenge) = try await opened()
            await world.faults.next(fault)
            _ = try await world.authenticator.resolve(challenge, with: .approve)
            let again = try World(sharing: world)
            #expect(try await again.authenticator.resume() == [challenge.id: .delivered])
            #expect(try await world.simulator.status(of: login.id) == .approved)
        }
    }

    @Test func `after the server's memory of a reply, the request's state is asked for`()
        async throws
    {
        // The first process is gone before time passes, else it would try again, too.
        let (world, login, id) = try await died()
        world.clock.advance(by: .seconds(3_600))
        let outcome = try await world.authenticator.resume()[id]
        guard case .unknown = outcome else {
            Issue.record("It was accepted, perhaps by this answer: \(String(describing: outcome))")
            return
        }
        #expect(try await world.simulator.status(of: login.id) == .approved)
    }

    /// A restarted app, whose earlier process sent an approval and lost the reply.
    private func died() async throws -> (World, SimulatedLogin, Challenge.ID) {
        let (world, login, challenge) = try await opened()
        await world.faults.next(.dropAfter)
        _ = try await world.authenticator.resolve(challenge, with: .approve)
        return (try World(sharing: world), login, challenge.id)
    }

    @Test func `a reply that was changed, replayed or forged changes nothing`() async throws {
        for fault in [
            .corrupt(bit: 900), .previous, .clearError(-1600),
        ] as [OneSpanSimulator.ReplyFault] {
            let (world, login, challenge) = try await opened()
            await world.simulator.next(reply: fault)
            guard
                case .unknown = try await world.authenticator.resolve(challenge, with: .approve)
            else {
                Issue.record("Only the server's word counts: \(fault)")
                return
            }
            #expect(try await world.authenticator.resume() == [challenge.id: .delivered])
            #expect(try await world.simulator.status(of: login.id) == .approved)
        }
    }

    @Test func `a sealed reply about another request is no reply to this one`() async throws {
        let (world, _, challenge) = try await opened()
        await world.simulator.next(reply: .otherRequest)
        guard case .unknown = try await world.authenticator.resolve(challenge, with: .approve)
        else {
            Issue.record("It says nothing of this request.")
            return
        }
    }

    @Test func `an error inside an HTTP error body reaches the app`() async throws {
        let (world, _, challenge) = try await opened()
        try await world.simulator.lock(World.name)
        let outcome = try await world.authenticator.resolve(challenge, with: .approve)
        #expect(outcome == .notTaken(.init(.stateChanged, mayRetry: false)))
        #expect(await world.simulator.exchanges.last?.status == 409)
    }

    @Test func `a server that drops the bodies of errors leaves the answer unknown`() async throws {
        let (world, _, challenge) = try await opened()
        await world.simulator.configure { $0.stripsErrorBodies = true }
        try await world.simulator.lock(World.name)
        let error = try await refusal {
            _ = try await world.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .server(status: 409))
        guard case .decided = try await world.authenticator.record(of: challenge.id)?.state else {
            Issue.record("The decision stands.")
            return
        }
    }

    @Test func `a counter that the server has seen is raised, and the decision stands`()
        async throws
    {
        let (world, login, challenge) = try await opened()
        // The device goes back to an older record, as from a backup; the server doesn't.
        await world.simulator.saveDevices(of: World.name)
        let outcome = try await restored(world) {
            try await world.authenticator.resolve(challenge, with: .approve)
        }
        #expect(outcome == .notTaken(.init(.stateChanged, mayRetry: true, noCopyTaken: true)))
        let again = try await world.authenticator.challenge(challenge.id)
        #expect(try await world.authenticator.resolve(again, with: .approve) == .delivered)
        #expect(try await world.simulator.status(of: login.id) == .approved)
    }

    @Test func `a denial with a counter that the server has seen is made again by itself`()
        async throws
    {
        let (world, login, challenge) = try await opened()
        let outcome = try await restored(world) {
            try await world.authenticator.resolve(challenge, with: .deny(.unexpected))
        }
        #expect(outcome == .delivered)
        #expect(try await world.simulator.status(of: login.id) == .denied)
    }

    /// Runs something on a device whose counters went back to where they were before two commands.
    private func restored(
        _ world: World, _ body: () async throws -> Outcome
    ) async throws -> Outcome {
        let key = RecordKey("credential/onespan", try await world.enrollment().id.name)
        let (old, _) = try #require(await world.store.read(key))
        // Commands of the same counters, by the other copy of the device.
        let copy = try World(sharing: world)
        for token in ["one", "two"] {
            _ = try await copy.authenticator.deviceTokenChanged(.fcm(token))
        }
        let (_, revision) = try #require(await world.store.read(key))
        try await world.store.write(old, for: key, replacing: revision)
        return try await body()
    }

    @Test func `a removed device can't answer, and is told why`() async throws {
        let (world, _, challenge) = try await opened()
        await world.simulator.removeDevices(of: World.name)
        let outcome = try await world.authenticator.resolve(challenge, with: .approve)
        #expect(outcome == .notTaken(.init(.stateChanged, mayRetry: false)))
        #expect(try await world.enrollment().state == .needsReenrollment)
    }
}

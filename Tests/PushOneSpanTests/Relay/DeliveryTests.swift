import Foundation
import HTTPTypes
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// Answers whose replies are lost, forged or late.
@Suite struct DeliveryTests {
    /// A harness with an open, fetched login.
    private func opened() async throws -> (OneSpanHarness, SimulatedLogin, Challenge) {
        let harness = try await OneSpanHarness.activated()
        let (login, id) = try await harness.login()
        return (harness, login, try await harness.authenticator.challenge(id))
    }

    @Test func `a lost reply is asked for again with the same bytes`() async throws {
        let (harness, login, challenge) = try await opened()
        await harness.faults.next(.dropAfter)
        guard
            case .unknown = try await harness.authenticator.resolve(challenge, with: .approve)
        else {
            Issue.record("Nobody knows yet.")
            return
        }
        #expect(try await harness.simulator.status(of: login.id) == .approved)
        #expect(try await harness.authenticator.resume() == [challenge.id: .delivered])
        let sent = try await harness.commands()
        #expect(sent.suffix(2).first == sent.last)
    }

    @Test func `an answer survives the death of the process`() async throws {
        for fault in [.dropBefore, .dropAfter] as [FaultPlan.Fault] {
            let (harness, login, challenge) = try await opened()
            await harness.faults.next(fault)
            _ = try await harness.authenticator.resolve(challenge, with: .approve)
            let again = try OneSpanHarness(sharing: harness)
            #expect(try await again.authenticator.resume() == [challenge.id: .delivered])
            #expect(try await harness.simulator.status(of: login.id) == .approved)
        }
    }

    @Test func `after the server's memory of a reply, the request's state is asked for`()
        async throws
    {
        // The first process is gone before time passes, else it would try again, too.
        let (harness, login, id) = try await died()
        harness.clock.advance(by: .seconds(3_600))
        let outcome = try await harness.authenticator.resume()[id]
        guard case .unknown = outcome else {
            Issue.record("It was accepted, perhaps by this answer: \(String(describing: outcome))")
            return
        }
        #expect(try await harness.simulator.status(of: login.id) == .approved)
    }

    /// A restarted app, whose earlier process sent an approval and lost the reply.
    private func died() async throws -> (OneSpanHarness, SimulatedLogin, Challenge.ID) {
        let (harness, login, challenge) = try await opened()
        await harness.faults.next(.dropAfter)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        return (try OneSpanHarness(sharing: harness), login, challenge.id)
    }

    @Test func `a reply that was changed, replayed or forged changes nothing`() async throws {
        for fault in [
            .corrupt(bit: 900), .previous, .clearError(-1600),
        ] as [OneSpanSimulator.ReplyFault] {
            let (harness, login, challenge) = try await opened()
            await harness.simulator.next(reply: fault)
            guard
                case .unknown = try await harness.authenticator.resolve(challenge, with: .approve)
            else {
                Issue.record("Only the server's word counts: \(fault)")
                return
            }
            #expect(try await harness.authenticator.resume() == [challenge.id: .delivered])
            #expect(try await harness.simulator.status(of: login.id) == .approved)
        }
    }

    @Test func `a sealed reply about another request is no reply to this one`() async throws {
        let (harness, _, challenge) = try await opened()
        await harness.simulator.next(reply: .otherRequest)
        guard case .unknown = try await harness.authenticator.resolve(challenge, with: .approve)
        else {
            Issue.record("It says nothing of this request.")
            return
        }
    }

    @Test func `an error inside an HTTP error body reaches the app`() async throws {
        let (harness, _, challenge) = try await opened()
        try await harness.simulator.lock(OneSpanHarness.name)
        let outcome = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(outcome == .notTaken(.init(.stateChanged, mayRetry: false)))
        #expect(await harness.simulator.exchanges.last?.status == 409)
    }

    @Test func `a server that drops the bodies of errors leaves the answer unknown`() async throws {
        let (harness, _, challenge) = try await opened()
        await harness.simulator.configure { $0.stripsErrorBodies = true }
        try await harness.simulator.lock(OneSpanHarness.name)
        let error = try await refusal {
            _ = try await harness.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .server(status: 409))
        guard case .decided = try await harness.authenticator.record(of: challenge.id)?.state else {
            Issue.record("The decision stands.")
            return
        }
    }

    @Test func `a counter that the server has seen is raised, and the decision stands`()
        async throws
    {
        let (harness, login, challenge) = try await opened()
        // The device goes back to an older record, as from a backup; the server doesn't.
        await harness.simulator.saveDevices(of: OneSpanHarness.name)
        let outcome = try await restored(harness) {
            try await harness.authenticator.resolve(challenge, with: .approve)
        }
        #expect(
            outcome == .notTaken(.init(.stateChanged, mayRetry: true, appliesToAllCopies: true)))
        let again = try await harness.authenticator.challenge(challenge.id)
        #expect(try await harness.authenticator.resolve(again, with: .approve) == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .approved)
    }

    @Test func `a denial with a counter that the server has seen is made again by itself`()
        async throws
    {
        let (harness, login, challenge) = try await opened()
        let outcome = try await restored(harness) {
            try await harness.authenticator.resolve(challenge, with: .deny(.unexpected))
        }
        #expect(outcome == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .denied)
    }

    /// Runs something on a device whose counters went back to where they were before two commands.
    private func restored(
        _ harness: OneSpanHarness, _ body: () async throws -> Outcome
    ) async throws -> Outcome {
        let account = try await harness.account()
        let (old, enrollment): (Secret, _) = (try account.credential(), account.enrollment)
        // Commands of the same counters, by the other copy of the device.
        let copy = try OneSpanHarness(sharing: harness)
        for token in ["one", "two"] {
            _ = try await copy.authenticator.deviceTokenChanged(.fcm(token))
        }
        try await harness.account().change { (credential: inout Secret, now) in
            (credential, now) = (old, enrollment)
        }
        return try await body()
    }

    @Test func `a removed device can't answer, and is told why`() async throws {
        let (harness, _, challenge) = try await opened()
        await harness.simulator.removeDevices(of: OneSpanHarness.name)
        let outcome = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(outcome == .notTaken(.init(.stateChanged, mayRetry: false)))
        #expect(try await harness.enrollment().state == .needsReenrollment)
    }
}

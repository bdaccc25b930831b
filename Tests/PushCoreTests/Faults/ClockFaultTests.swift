import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// The device's clock is wrong, or jumps. The server's is right.
struct ClockFaultTests {
    /// An hour ahead, an hour behind, and 1970.
    static let errors: [Double] = [3600, -3600, -morning.timeIntervalSince1970]

    /// A process whose clock is wrong, at a server whose time runs by it.
    private func life(
        _ harness: AuthenticatorHarness, off error: Double, _ options: Acme.Options = .init()
    ) async throws -> Life {
        let life = try harness.life(options, clock: ManualClock(morning + error))
        await harness.server.tell { [clock = life.clock] in morning + clock.elapsed.inSeconds }
        _ = try await life.authenticator.join("ada")
        try await life.authenticator.hearTimeAgain()
        return life
    }

    @Test(arguments: errors)
    func `with a wrong clock a live challenge is valid, and its answer arrives`(
        error: Double
    ) async throws {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, off: error)
        let reception = try #require(
            try await life.authenticator.receive(try AcmeWire.ask("1", expiry: morning + 60)).first)
        guard case .notice(_, .valid) = reception.kind else {
            Issue.record("\(reception)")
            return
        }
        let challenge = try await life.authenticator.challenge(.ada("1"))
        #expect(try await life.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test(arguments: errors)
    func `with a wrong clock an expired challenge stays expired`(error: Double) async throws {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, off: error)
        let late = try await life.authenticator.receive(
            try AcmeWire.ask("1", expiry: morning - 5))
        #expect(late.map(\.kind) == [.over(Withdrawal(.ada("1"), .expired))])
        #expect(await code { try await life.authenticator.deny(.ada("1")) } == .over)
        #expect(await harness.server.answers.isEmpty)
    }

    @Test(arguments: errors)
    func `a clock that jumps while running locks nobody out`(jump: Double) async throws {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, off: 0)
        let challenge = try await life.authenticator.open(
            try AcmeWire.ask("1", expiry: morning + 60))
        life.clock.set(morning + jump)
        life.clock.advance(by: .seconds(30))
        #expect(try await life.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test(arguments: errors)
    func `a clock that jumps while running revives nothing`(jump: Double) async throws {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, off: 0)
        let challenge = try await life.authenticator.open(
            try AcmeWire.ask("1", expiry: morning + 60))
        life.clock.advance(by: .seconds(90))
        life.clock.set(morning + jump)
        #expect(
            await code { try await life.authenticator.resolve(challenge, with: .approve) } == .over)
        let again = try await life.authenticator.receive(
            try AcmeWire.ask("1", expiry: morning + 60))
        #expect(again.map(\.isWaiting) == [false])
        #expect(await harness.server.answers.isEmpty)
    }

    @Test(arguments: errors)
    func `a challenge that was closed as expired stays closed after a restart with another clock`(
        error: Double
    ) async throws {
        let harness = AuthenticatorHarness()
        let first = try await life(harness, off: 0)
        let push = try AcmeWire.ask("1", expiry: morning + 60)
        _ = try await first.authenticator.receive(push)
        first.clock.advance(by: .seconds(90))
        #expect(await code { try await first.authenticator.deny(.ada("1")) } == .over)
        await first.kill()
        // The new process knows nothing of the server's time, and its own clock is wrong.
        await harness.server.tell(nil)
        let second = try harness.life(clock: ManualClock(morning + error)).authenticator
        let again = try await second.receive(push)
        #expect(again.map(\.kind) == [.over(Withdrawal(.ada("1"), .expired))])
        #expect(again.map(\.isNew) == [false])
        #expect(await code { try await second.deny(.ada("1")) } == .over)
        #expect(await harness.server.answers.isEmpty)
    }

    @Test(arguments: errors)
    func `after a restart with a wrong clock a live challenge can still be answered`(
        error: Double
    ) async throws {
        let harness = AuthenticatorHarness()
        let first = try await life(harness, off: 0)
        _ = try await first.authenticator.receive(try AcmeWire.ask("1", expiry: morning + 60))
        await first.kill()
        let second = try harness.life(clock: ManualClock(morning + error)).authenticator
        let challenge = try await second.challenge(.ada("1"))
        #expect(try await second.resolve(challenge, with: .approve) == .delivered)
    }

    @Test(arguments: errors)
    func `what expired while no process ran is the vendor's to refuse`(
        error: Double
    ) async throws {
        let harness = AuthenticatorHarness()
        let first = try await life(harness, off: 0)
        _ = try await first.authenticator.receive(try AcmeWire.ask("1", expiry: morning + 60))
        await first.kill()
        await harness.server.tell(morning + 90)
        await harness.server.expire("1")
        let second = try harness.life(clock: ManualClock(morning + error)).authenticator
        #expect(try await second.deny(.ada("1")) == .expired)
        #expect(await harness.server.taken.isEmpty)
    }

    @Test(arguments: errors)
    func `a decision survives a jump of the clock, and arrives`(jump: Double) async throws {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, off: 0)
        _ = try await life.authenticator.receive(try AcmeWire.ask("1", expiry: morning + 3600))
        await harness.faults.next(.refuse)
        _ = try await life.authenticator.deny(.ada("1"))
        life.clock.set(morning + jump)
        try await eventually("It sleeps.") { life.clock.sleepers == 1 }
        life.clock.advance(by: .seconds(300))
        try await eventually("It arrives.") { await harness.server.taken.count == 1 }
    }

    @Test func `without any Date two newer signed pushes show that an older challenge has expired`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let life = try harness.life(clock: ManualClock(morning + 3600))
        _ = try await life.authenticator.join("ada")
        let challenge = try await life.authenticator.open(
            try AcmeWire.ask("1", issued: morning, expiry: morning + 60))
        _ = try await life.authenticator.receive(
            try AcmeWire.ask("2", issued: morning + 61, expiry: morning + 121))
        #expect(try await life.authenticator.challenge(.ada("1")).id == .ada("1"))
        _ = try await life.authenticator.receive(
            try AcmeWire.ask("3", issued: morning + 62, expiry: morning + 122))
        #expect(
            await code { try await life.authenticator.resolve(challenge, with: .approve) } == .over)
        #expect(try await life.authenticator.deny(.ada("2")) == .delivered)
        #expect(await harness.server.answers.count == 1)
    }

    @Test(arguments: errors.filter { $0 < -600 })
    func `signed times far ahead of a device that knows nothing else end nothing`(
        error: Double
    ) async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life(clock: ManualClock(morning + error))
        _ = try await life.authenticator.join("ada")
        for name in ["2", "3"] {
            _ = try await life.authenticator.receive(
                try AcmeWire.ask(name, issued: morning + 61, expiry: morning + 121))
        }
        _ = try await life.authenticator.receive(
            try AcmeWire.ask("1", issued: morning, expiry: morning + 60))
        #expect(try await life.authenticator.deny(.ada("1")) == .delivered)
    }

    @Test(arguments: errors)
    func `a signed time that the server's replies contradict closes nothing`(
        error: Double
    ) async throws {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, off: error)
        _ = try await life.authenticator.receive(
            try AcmeWire.ask("1", issued: morning + 1e6, expiry: morning + 2e6))
        let fresh = try await life.authenticator.receive(
            try AcmeWire.ask("2", expiry: morning + 60))
        #expect(fresh.map(\.isWaiting) == [true])
    }

    @Test func `what was only fetched teaches no time, however many entries a list has`()
        async
        throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("live", expiry: morning + 300))
        for name in ["x", "y"] {
            await harness.server.offer(AcmeWire.claims(name, issued: morning + 540), to: "ada")
        }
        _ = try await authenticator.pending(for: .ada)
        try await authenticator.resume()
        #expect(try await authenticator.record(of: .ada("live"))?.state == .open)
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What wasn't delivered is tried again in the background, and when.
struct BackoffTests {
    /// An authenticator that has tried to deny challenge 1, and failed.
    private func failed(
        _ harness: AuthenticatorHarness, _ clock: ManualClock,
        _ fault: FaultPlan.Fault = .dropBefore,
        _ options: Acme.Options = .init(), random: (any RandomSource)? = nil,
        more: Int = 0, expiry: Date? = nil, backoff: Backoff = Backoff()
    ) async throws -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: harness.transport, store: harness.store, verifier: harness.verifier,
            clock: clock,
            random: random ?? SeededRandom(seed: 7), device: Device(name: "test"),
            observer: harness.observer)
        var configuration = AuthenticatorHarness.quiet
        configuration.instance = "app"
        configuration.backoff = backoff
        let authenticator = PushAuthenticator(
            try PluginRegistry([Acme("acme", options, in: environment)]), in: environment,
            configuration: configuration)
        _ = try await authenticator.join("ada")
        try await authenticator.hearTimeAgain()
        _ = try await authenticator.receive(try AcmeWire.ask("1", expiry: expiry))
        for _ in 0...more { await harness.faults.next(fault) }
        _ = try await authenticator.deny(.ada("1"))
        return authenticator
    }

    private func state(_ authenticator: PushAuthenticator) async throws -> ChallengeRecord.State? {
        try await authenticator.record(of: .ada("1"))?.state
    }

    /// Whether it waits for its next try. While one is made, its lease sleeps, too.
    private func rests(_ authenticator: PushAuthenticator, _ clock: ManualClock) async -> Bool {
        let work = await authenticator.background
        return work == (1, 0) && clock.sleepers == 1
    }

    private let done = ChallengeRecord.State.answered(.deny(.unexpected), .delivered)

    @Test func `a decision that failed arrives in the background, and the subscribers hear of it`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        let authenticator = try await failed(harness, clock)
        var updates = await authenticator.updates().makeAsyncIterator()
        try await eventually("It sleeps.") { await rests(authenticator, clock) }
        clock.advance(by: .seconds(1))
        #expect(await updates.next() == .outcome(.ada("1"), .delivered))
        #expect(try await state(authenticator) == done)
        #expect(await harness.server.choices() == ["deny:unexpected"])
    }

    @Test func `at the greatest draw each pause is the limit, which doubles up to the cap`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        let backoff = Backoff(base: .seconds(1), cap: .seconds(4))
        let authenticator = try await failed(
            harness, clock, random: RepeatingRandom([0xFF]), more: 4, backoff: backoff)
        var left = 4
        for limit in [1, 2, 4, 4, 4] {
            try await eventually("It sleeps.") { await rests(authenticator, clock) }
            clock.advance(by: .milliseconds(limit * 990))
            try await eventually("It still sleeps.") { await rests(authenticator, clock) }
            #expect(await harness.faults.remaining == left)
            clock.advance(by: .milliseconds(limit * 11))
            left -= 1
            if left >= 0 {
                try await eventually("It tries.") { await harness.faults.remaining == left }
            }
        }
        try await eventually("It arrives.") { try await state(authenticator) == done }
    }

    @Test(arguments: 0..<10)
    func `whatever is drawn, no pause is longer than its limit`(seed: UInt64) async throws {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        let authenticator = try await failed(
            harness, clock, random: SeededRandom(seed: seed), more: 4)
        for (limit, left) in [(1, 3), (2, 2), (4, 1), (8, 0)] {
            try await eventually("It sleeps.") { await rests(authenticator, clock) }
            clock.advance(by: .seconds(limit))
            try await eventually("It tries.") { await harness.faults.remaining == left }
        }
        try await eventually("It sleeps.") { await rests(authenticator, clock) }
        clock.advance(by: .seconds(16))
        try await eventually("It arrives.") { try await state(authenticator) == done }
    }

    @Test func `after the vendor's word nothing sleeps, and nothing more is sent`() async throws {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        let authenticator = try await failed(harness, clock)
        try await eventually("It sleeps.") { await rests(authenticator, clock) }
        clock.advance(by: .seconds(1))
        try await eventually("It arrives.") { try await state(authenticator) == done }
        try await eventually("Nothing sleeps.") { clock.sleepers == 0 }
        let exchanges = await harness.transport.exchanges.count
        clock.advance(by: .seconds(86_400))
        #expect(try await authenticator.resume().isEmpty)
        #expect(await harness.transport.exchanges.count == exchanges)
    }

    @Test func `a resume that delivers leaves nothing for the background`() async throws {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        let authenticator = try await failed(harness, clock)
        #expect(try await authenticator.resume() == [.ada("1"): .delivered])
        clock.advance(by: .seconds(600))
        try await eventually("Nothing sleeps.") { clock.sleepers == 0 }
        try await eventually("Nothing is tried.") { await authenticator.background == (0, 0) }
        #expect(await harness.server.answers.count == 1)
    }

    @Test func `after the last try it rests, and the next resume goes on`() async throws {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        let backoff = Backoff(tries: 2)
        let authenticator = try await failed(harness, clock, more: 2, backoff: backoff)
        for left in [1, 0] {
            try await eventually("It sleeps.") { await rests(authenticator, clock) }
            clock.advance(by: .seconds(300))
            try await eventually("It tries.") { await harness.faults.remaining == left }
        }
        try await eventually("It rests.") { await authenticator.background == (0, 0) }
        #expect(clock.sleepers == 0)
        #expect(try await state(authenticator) == .decided(.deny(.unexpected)))
        #expect(try await authenticator.resume() == [.ada("1"): .delivered])
    }

    @Test func `with no tries nothing happens in the background`() async throws {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        let authenticator = try await failed(harness, clock, backoff: Backoff(tries: 0))
        try await eventually("Nothing is tried.") { await authenticator.background == (0, 0) }
        #expect(clock.sleepers == 0)
        #expect(try await authenticator.resume() == [.ada("1"): .delivered])
    }

    @Test func `an authenticator that goes takes its sleep along`() async throws {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        var authenticator: PushAuthenticator? = try await failed(harness, clock)
        try await eventually("It sleeps.") { clock.sleepers == 1 }
        _ = authenticator
        authenticator = nil
        try await eventually("Nothing sleeps.") { clock.sleepers == 0 }
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `an enrollment that is removed takes its answers' tries along`() async throws {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        let authenticator = try await failed(harness, clock)
        try await authenticator.remove(.ada)
        clock.advance(by: .seconds(600))
        try await eventually("Nothing is tried.") { await authenticator.background == (0, 0) }
        #expect(await harness.server.answers.isEmpty)
        #expect(try await authenticator.records().isEmpty)
    }

    // MARK: Expiry

    @Test(arguments: Answer.Kept.Form.allCases)
    func `past the expiry nothing is sent, and the vendor is asked what became of it`(
        kept: Answer.Kept.Form
    ) async throws {
        for (fault, outcome) in [
            (FaultPlan.Fault.dropAfter, Outcome.delivered), (.dropBefore, .expired),
        ] {
            let harness = AuthenticatorHarness()
            let clock = ManualClock(morning)
            await harness.server.tell { morning + clock.elapsed.inSeconds }
            let authenticator = try await failed(
                harness, clock, fault, .init(kept: kept), expiry: morning + 60)
            await harness.server.expire("1")
            let sent = await harness.server.answers.count
            try await eventually("It sleeps.") { clock.sleepers >= 1 }
            clock.advance(by: .seconds(120))
            try await eventually("It is settled.") {
                try await state(authenticator) == .answered(.deny(.unexpected), outcome)
            }
            #expect(await harness.server.answers.count == sent)
            #expect(await harness.server.statusQuestions >= 1)
        }
    }

    @Test func `past the expiry an unsettled decision of a former life isn't sent, either`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        await harness.server.tell { morning + clock.elapsed.inSeconds }
        let first = try harness.life(clock: clock)
        _ = try await first.authenticator.join("ada")
        _ = try await first.authenticator.receive(try AcmeWire.ask("1", expiry: morning + 60))
        await first.cord.cut(.before, .send("/answer"))
        _ = try? await first.authenticator.deny(.ada("1"))
        clock.advance(by: .seconds(120))
        await harness.server.expire("1")
        let second = try harness.life(clock: clock).authenticator
        try await second.hearTimeAgain()
        #expect(try await second.resume() == [.ada("1"): .expired])
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `a Retry-After past the expiry is waited for, and then the vendor is asked alone`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        await harness.server.tell { morning + clock.elapsed.inSeconds }
        let authenticator = try await failed(
            harness, clock, .reply(.busy(retryAfter: "3600")), expiry: morning + 60)
        await harness.server.expire("1")
        try await eventually("It sleeps.") { clock.sleepers >= 1 }
        clock.advance(by: .seconds(3000))
        _ = try await authenticator.resume()
        #expect(await harness.server.statusQuestions == 0)
        try await eventually("It sleeps.") { clock.sleepers >= 1 }
        clock.advance(by: .seconds(1000))
        try await eventually("It is settled.") {
            _ = try await authenticator.resume()
            return try await state(authenticator) == .answered(.deny(.unexpected), .expired)
        }
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `where the vendor takes late answers, one is sent past the expiry`() async throws {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        await harness.server.tell { morning + clock.elapsed.inSeconds }
        let authenticator = try await failed(
            harness, clock, .refuse, .init(capabilities: [.lateAnswers]), expiry: morning + 60)
        try await eventually("It sleeps.") { clock.sleepers >= 1 }
        clock.advance(by: .seconds(120))
        try await eventually("It arrives.") { try await state(authenticator) == done }
    }
}

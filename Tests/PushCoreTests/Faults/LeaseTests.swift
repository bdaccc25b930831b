import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// Who sends what a process decided and died before it could send, and what `resume` does.
struct LeaseTests {
    /// A harness in which the app decided to deny challenge 1, and was killed while sending.
    private func orphaned(_ clock: ManualClock) async throws -> AuthenticatorHarness {
        let harness = AuthenticatorHarness()
        let app = try harness.life(named: "app", clock: clock)
        _ = try await app.authenticator.join("ada")
        _ = try await app.authenticator.receive(try AcmeWire.ask("1"))
        await app.cord.cut(.before, .send("/answer"))
        _ = try? await app.authenticator.deny(.ada("1"))
        return harness
    }

    @Test func `what another process is sending is left to it for the lease, then taken over`()
        async throws
    {
        let clock = ManualClock(morning)
        let harness = try await orphaned(clock)
        let service = try harness.life(named: "extension", clock: clock).authenticator
        _ = try await service.resume()
        #expect(await harness.server.answers.isEmpty)
        clock.advance(by: .seconds(39))
        _ = try await service.resume()
        #expect(await harness.server.answers.isEmpty)
        clock.advance(by: .seconds(2))
        try await eventually("It is taken over.") {
            _ = try await service.resume()
            return await harness.server.choices() == ["deny:unexpected"]
        }
        #expect(
            try await service.record(of: .ada("1"))?.state
                == .answered(.deny(.unexpected), .delivered))
    }

    @Test func `a process that starts again goes on with its own at once`() async throws {
        let clock = ManualClock(morning)
        let harness = try await orphaned(clock)
        let app = try harness.life(named: "app", clock: clock).authenticator
        #expect(try await app.resume() == [.ada("1"): .delivered])
    }

    @Test func `a shorter lease ends sooner`() async throws {
        let clock = ManualClock(morning)
        let harness = try await orphaned(clock)
        let service = try harness.life(named: "extension", clock: clock) { $0.lease = .seconds(5) }
        clock.advance(by: .seconds(6))
        #expect(try await service.authenticator.resume() == [.ada("1"): .delivered])
    }

    @Test func `a clock that was set back ends a lease instead of prolonging it`() async throws {
        let clock = ManualClock(morning)
        let harness = try await orphaned(clock)
        clock.set(morning - 86_400)
        let service = try harness.life(named: "extension", clock: clock).authenticator
        try await eventually("It is taken over.") {
            _ = try await service.resume()
            return await harness.server.choices() == ["deny:unexpected"]
        }
    }

    @Test func `during another's lease the same answer is taken as given, another is refused`()
        async throws
    {
        let clock = ManualClock(morning)
        let harness = try await orphaned(clock)
        let service = try harness.life(named: "extension", clock: clock).authenticator
        guard case .unknown = try await service.deny(.ada("1")) else {
            Issue.record("It was guessed.")
            return
        }
        #expect(
            await code { try await service.deny(.ada("1"), .fraud) }
                == .decidedOtherwise(.deny(.unexpected)))
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `what another process is sending right now isn't sent beside it`() async throws {
        let harness = AuthenticatorHarness()
        let app = try harness.life(named: "app").authenticator
        let service = try harness.life(named: "extension").authenticator
        _ = try await app.join("ada")
        _ = try await app.receive(try AcmeWire.ask("1"))
        let gate = Gate()
        await harness.server.hold("/answer", at: gate)
        async let outcome = app.deny(.ada("1"))
        await gate.arrival()
        // Not awaited yet: where the lease doesn't hold, it would stand at the gate, too.
        async let resumed = service.resume()
        try await eventually("The other leaves it to the lease's end.") {
            await service.background.asleep == 1
        }
        #expect(await gate.arrived == 1)
        await gate.open()
        _ = try await resumed
        #expect(try await outcome == .delivered)
        #expect(try await service.resume().isEmpty)
        #expect(await harness.server.answers.count == 1)
    }

    @Test func `a failed try ends the lease, so that another process needn't wait`() async throws {
        let harness = AuthenticatorHarness()
        let app = try harness.life(named: "app")
        _ = try await app.authenticator.join("ada")
        _ = try await app.authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.refuse)
        _ = try await app.authenticator.deny(.ada("1"))
        await app.kill()
        let service = try harness.life(named: "extension").authenticator
        #expect(try await service.resume() == [.ada("1"): .delivered])
    }

    // MARK: Resuming

    @Test func `resume called while it works does nothing twice, and both get the same`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let app = try harness.life().authenticator
        _ = try await app.join("ada")
        for id in ["1", "2"] {
            _ = try await app.receive(try AcmeWire.ask(id))
            await harness.faults.next(.refuse)
            _ = try await app.deny(.ada(id))
        }
        let gate = Gate()
        await harness.server.hold("/answer", at: gate)
        async let one = app.resume()
        await gate.arrival()
        async let two = app.resume()
        try await eventually("The other waits.") { await app.waitingForResume == 1 }
        await gate.open()
        let both = try await [one, two]
        #expect(both[0] == [.ada("1"): .delivered, .ada("2"): .delivered])
        #expect(both[0] == both[1])
        #expect(await harness.server.answers.count == 2)
    }

    @Test func `resume again finds nothing to do, and asks nobody`() async throws {
        let harness = AuthenticatorHarness()
        let app = try harness.life().authenticator
        _ = try await app.join("ada")
        try await app.deviceTokenChanged(.fcm("t"))
        _ = try await app.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.dropAfter)
        _ = try await app.deny(.ada("1"))
        #expect(try await app.resume() == [.ada("1"): .delivered])
        let exchanges = await harness.transport.exchanges.count
        for _ in 0..<3 { #expect(try await app.resume().isEmpty) }
        #expect(await harness.transport.exchanges.count == exchanges)
    }

    @Test func `a caller of resume that is cancelled doesn't stop it for the others`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let app = try harness.life().authenticator
        _ = try await app.join("ada")
        _ = try await app.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.refuse)
        _ = try await app.deny(.ada("1"))
        let gate = Gate()
        await harness.server.hold("/answer", at: gate)
        let first = Task { try await app.resume() }
        await gate.arrival()
        async let second = app.resume()
        try await eventually("The other waits.") { await app.waitingForResume == 1 }
        first.cancel()
        await gate.open()
        #expect(try await second == [.ada("1"): .delivered])
        #expect(await harness.server.answers.count == 1)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a lease of no length is none, and isn't renewed`() async throws {
        let store = CountingStore()
        let harness = AuthenticatorHarness(store: store)
        let life = try harness.life { $0.lease = .zero }
        _ = try await life.authenticator.join("ada")
        _ = try await life.authenticator.receive(try AcmeWire.ask("1"))
        let gate = Gate()
        await harness.server.hold("/answer", at: gate)
        let before = await store.writes
        let answering = Task { try await life.authenticator.deny(.ada("1")) }
        await gate.arrival()
        // What is written meanwhile is counted as well.
        _ = try await life.authenticator.records()
        await gate.open()
        #expect(try await answering.value == .delivered)
        // The decision, and the vendor's word on it.
        #expect(await store.writes == before + 2)
    }
}

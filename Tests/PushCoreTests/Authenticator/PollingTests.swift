import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

struct PollingTests {
    private let harness = AuthenticatorHarness()

    private func lists() async -> Int { await harness.server.requests["/pending"] ?? 0 }

    /// Lets the loop sleep, then lets time pass.
    private func pass(_ duration: Duration, _ life: Life) async throws {
        try await eventually("The loop sleeps.") {
            await life.authenticator.polledNow == 0 && life.clock.sleepers == 1
        }
        life.clock.advance(by: duration)
    }

    @Test(.timeLimit(.minutes(2)), arguments: [true, false])
    func `it asks every five seconds while something is open, slower while nothing is`(
        listsAll: Bool
    ) async throws {
        let life = try harness.life(.init(listsAll: listsAll))
        _ = try await life.authenticator.join("ada")
        await harness.server.offer(AcmeWire.claims("1"), to: "ada")
        let loop = Task { await life.authenticator.poll() }
        try await eventually("It asks at once.") { await lists() == 1 }
        try await pass(.milliseconds(4999), life)
        try await pass(.milliseconds(1001), life)
        try await eventually("It asks again.") { await lists() == 2 }
        try await eventually("It was told what is open.") {
            await life.authenticator.polledNow == 0
        }
        #expect(try await life.authenticator.deny(.ada("1")) == .delivered)
        await harness.server.withdraw("1")
        try await pass(.seconds(6), life)
        try await eventually("It asks a last time.") { await lists() == 3 }
        for _ in 1...5 { try await pass(.seconds(6), life) }
        #expect(await lists() == 3)
        for _ in 1...7 { try await pass(.seconds(6), life) }
        try await eventually("A minute later it asks again.") { await lists() == 4 }
        loop.cancel()
        await loop.value
        #expect(life.clock.sleepers == 0)
    }

    @Test(.timeLimit(.minutes(2)))
    func `nothing makes it ask one enrollment more often than every five seconds`() async throws {
        let life = try harness.life { $0.polling = Polling(busy: .zero, idle: .zero) }
        _ = try await life.authenticator.join("ada")
        let loop = Task { await life.authenticator.poll() }
        try await eventually("It asks at once.") { await lists() == 1 }
        for _ in 1...4 {
            await life.authenticator.setUserWaiting(true)
            try await pass(.seconds(1), life)
        }
        try await eventually("It sleeps.") { life.clock.sleepers == 1 }
        #expect(await lists() == 1)
        try await pass(.seconds(2), life)
        try await eventually("It asks again.") { await lists() == 2 }
        loop.cancel()
        await loop.value
    }

    @Test(.timeLimit(.minutes(2)))
    func `a user who waits makes it ask at once, if it didn't ask just now`() async throws {
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        let loop = Task { await life.authenticator.poll() }
        try await eventually("It asks at once.") { await lists() == 1 }
        try await pass(.seconds(30), life)
        try await eventually("It sleeps.") { life.clock.sleepers == 1 }
        #expect(await lists() == 1)
        await life.authenticator.setUserWaiting(true)
        try await eventually("It asks.") { await lists() == 2 }
        loop.cancel()
        await loop.value
    }

    @Test(.timeLimit(.minutes(2)))
    func `while it is paused it asks nobody, and then at once`() async throws {
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        await life.authenticator.setPollingPaused(true)
        let loop = Task { await life.authenticator.poll() }
        for _ in 1...4 { try await pass(.seconds(100), life) }
        #expect(await lists() == 0)
        await life.authenticator.setPollingPaused(false)
        try await eventually("It asks.") { await lists() == 1 }
        loop.cancel()
        await loop.value
    }

    @Test(.timeLimit(.minutes(2)))
    func `a Retry-After is waited for`() async throws {
        let life = try harness.life { $0.polling.idle = .seconds(5) }
        _ = try await life.authenticator.join("ada")
        var response = HTTPResponse(status: .tooManyRequests)
        response.headerFields[.retryAfter] = "60"
        await harness.faults.next(.reply(response))
        let loop = Task { await life.authenticator.poll() }
        for _ in 1...9 { try await pass(.seconds(6), life) }
        try await eventually("It sleeps.") { life.clock.sleepers == 1 }
        #expect(await lists() == 0)
        for _ in 1...2 { try await pass(.seconds(6), life) }
        try await eventually("It asks.") { await lists() == 1 }
        loop.cancel()
        await loop.value
    }

    @Test(.timeLimit(.minutes(2)))
    func `a vendor that doesn't answer keeps no other waiting`() async throws {
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        let gate = Gate()
        await harness.server.hold("/pending", at: gate)
        let loop = Task { await life.authenticator.poll() }
        await gate.arrival()
        _ = try await life.authenticator.join("bob")
        try await eventually("The loop sleeps.") { life.clock.sleepers == 1 }
        life.clock.advance(by: .seconds(90))
        await gate.arrival(2)
        #expect(await life.authenticator.polledNow == 2)
        await gate.open()
        loop.cancel()
        await loop.value
        #expect(await life.authenticator.polledNow == 0)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a push brings the next question forward`() async throws {
        let life = try harness.life(.init(listsAll: true))
        _ = try await life.authenticator.join("ada")
        let loop = Task { await life.authenticator.poll() }
        try await eventually("It asks at once.") { await lists() == 1 }
        try await pass(.seconds(10), life)
        _ = try await life.authenticator.receive(try AcmeWire.ask("1"))
        try await pass(.seconds(1), life)
        try await eventually("It asks at once.") { await lists() == 2 }
        // It is open, though the list lacks it.
        try await pass(.seconds(6), life)
        try await eventually("It asks again.") { await lists() == 3 }
        loop.cancel()
        await loop.value
    }

    @Test(.timeLimit(.minutes(2)))
    func `while the store is locked it looks again every five seconds, and no more often`()
        async throws
    {
        let store = FaultyStore(harness.store)
        let locked = AuthenticatorHarness(store: store)
        let life = try locked.life()
        _ = try await life.authenticator.join("ada")
        let loop = Task { await life.authenticator.poll() }
        try await eventually("It asks at once.") { await locked.server.requests["/pending"] == 1 }
        try await pass(.zero, life)
        await store.lock()
        try await pass(.seconds(72), life)
        let reports = {
            locked.observer.observations.filter { $0.kind == .refused(.storage) }.count
        }
        try await eventually("It reports that.") { reports() == 1 }
        for _ in 1...20 { try await pass(.milliseconds(100), life) }
        #expect(reports() == 1)
        for _ in 1...4 { try await pass(.seconds(1), life) }
        try await eventually("It looks again.") { reports() == 2 }
        loop.cancel()
        await loop.value
    }
}

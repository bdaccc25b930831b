import PushCore
import PushForgeRock
import PushTesting
import Testing

/// How often a login asks the store, which may be on another machine.
@Suite struct StoreTripTests {
    @Test func `a login takes five trips to the store, three of them writes`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let (before, written) = (await harness.counter.trips, await harness.counter.durableTrips)
        let push = try AMPush().message()
        let id = try #require(try await harness.authenticator.receive(push).first?.challenge)
        let received = await harness.counter.trips
        let challenge = try await harness.authenticator.challenge(id)
        let opened = await harness.counter.trips
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        let answered = await harness.counter.trips
        #expect([received - before, opened - received, answered - opened] == [2, 1, 2])
        #expect(await harness.counter.durableTrips - written == 3)
    }
}

import PushCore
import PushOneSpan
import PushTesting
import Testing

/// How often a login asks the store, which may be on another machine. The engine writes its own
/// counter, as it opens and as it signs.
@Suite struct StoreTripTests {
    @Test func `a login takes seven trips to the store, five of them writes`() async throws {
        let store = CountingStore()
        let harness = try OneSpanHarness(in: store)
        try await harness.activate()
        let first = try await harness.authenticator.challenge(try await harness.login().id)
        #expect(try await harness.authenticator.resolve(first, with: .approve) == .delivered)
        let (before, written) = (await store.trips, await store.durableTrips)
        let (_, id) = try await harness.login()
        let received = await store.trips
        let challenge = try await harness.authenticator.challenge(id)
        let opened = await store.trips
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        let answered = await store.trips
        #expect([received - before, opened - received, answered - opened] == [2, 2, 3])
        #expect(await store.durableTrips - written == 5)
    }
}

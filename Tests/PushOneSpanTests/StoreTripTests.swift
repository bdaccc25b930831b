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
        let login = try await store.login(at: harness.authenticator) {
            try await harness.login().id
        }
        #expect(login.trips == [2, 2, 3])
        #expect(login.durable == 5 && login.outcome == .delivered)
    }
}

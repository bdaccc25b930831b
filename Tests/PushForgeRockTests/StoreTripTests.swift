import PushCore
import PushForgeRock
import PushTesting
import Testing

/// How often a login asks the store, which may be on another machine.
@Suite struct StoreTripTests {
    @Test func `a login takes five trips to the store, three of them writes`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let push = try AMPush().message()
        let login = try await harness.counter.login(at: harness.authenticator) {
            try #require(try await harness.authenticator.receive(push).first?.challenge)
        }
        #expect(login.trips == [2, 1, 2])
        #expect(login.durable == 3 && login.outcome == .delivered)
    }
}

import PushCore
import PushTesting
import Testing

/// How often a login asks the store, which may be on another machine.
@Suite struct StoreTripTests {
    @Test func `a login takes five trips to the store, three of them writes`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let first = try await harness.opened().challenge
        #expect(try await harness.authenticator.resolve(first, with: .approve) == .delivered)
        _ = try await harness.start()
        let login = try await harness.reads.login(at: harness.authenticator) {
            try #require(try await harness.receive(from: harness.server).first?.challenge)
        }
        #expect(login.trips == [2, 1, 2])
        #expect(login.durable == 3 && login.outcome == .delivered)
    }
}

import PushCore
import PushTesting
import Testing

/// How often a login asks the store, which may be on another machine.
@Suite struct StoreTripTests {
    @Test func `a login takes six trips to the store, four of them writes`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let first = try await harness.opened().challenge
        #expect(try await harness.authenticator.resolve(first, with: .approve) == .delivered)
        _ = try await harness.start()
        let login = try await harness.reads.login(at: harness.authenticator) {
            try #require(try await harness.receive(from: harness.server).first?.challenge)
        }
        // Opening it writes what the list says it asks: no later list may ask for less.
        #expect(login.trips == [2, 2, 2])
        #expect(login.durable == 4 && login.outcome == .delivered)
    }
}

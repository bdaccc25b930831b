import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// How often a login asks the store, which may be on another machine.
@Suite struct StoreTripTests {
    @Test func `a login takes five trips to the store, three of them writes`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        let first = try await harness.challenge(ContextJWT(key, token: "first"))
        #expect(try await harness.authenticator.resolve(first, with: .approve) == .delivered)
        let message = try ContextJWT(key, token: "second").message()
        let login = try await harness.reads.login(at: harness.authenticator) {
            try #require(try await harness.authenticator.receive(message).first?.challenge)
        }
        #expect(login.trips == [2, 1, 2])
        #expect(login.durable == 3 && login.outcome == .delivered)
    }
}

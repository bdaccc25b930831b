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
        let (before, written) = (await harness.reads.trips, await harness.reads.durableTrips)
        let message = try ContextJWT(key, token: "second").message()
        let id = try #require(try await harness.authenticator.receive(message).first?.challenge)
        let received = await harness.reads.trips
        let challenge = try await harness.authenticator.challenge(id)
        let opened = await harness.reads.trips
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        let answered = await harness.reads.trips
        #expect([received - before, opened - received, answered - opened] == [2, 1, 2])
        #expect(await harness.reads.durableTrips - written == 3)
    }
}

import PushCore
import PushForgeRock
import PushTesting
import Testing

/// How often a login asks the store, which may be on another machine.
@Suite struct StoreTripTests {
    @Test func `a login takes ten trips to the store`() async throws {
        let world = try await World.enrolled()
        let before = await world.counter.trips
        let push = try AMPush().message()
        let id = try #require(try await world.authenticator.receive(push).first?.challenge)
        let received = await world.counter.trips
        let challenge = try await world.authenticator.challenge(id)
        let opened = await world.counter.trips
        #expect(try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        let answered = await world.counter.trips
        #expect([received - before, opened - received, answered - opened] == [5, 2, 3])
    }
}

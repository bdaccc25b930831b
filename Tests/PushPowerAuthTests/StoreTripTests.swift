import PushCore
import PushTesting
import Testing

/// How often a login asks the store, which may be on another machine.
struct StoreTripTests {
    @Test func `a login by PIN takes fourteen trips to the store at the most`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        // The token for reading is made once, before any login.
        try await phone.authenticator.resume()
        let operation = try await bank.ask()
        let before = await phone.disk.trips
        _ = try await phone.authenticator.pending(for: id)
        let received = await phone.disk.trips
        let name = Challenge.ID(operation, of: id)
        let challenge = try await phone.authenticator.challenge(name)
        let opened = await phone.disk.trips
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        let answered = await phone.disk.trips
        let trips = [received - before, opened - received, answered - opened]
        // The burst count, which these phones don't have, takes one more.
        #expect(trips.reduce(1, +) <= 14, "\(trips)")
    }
}

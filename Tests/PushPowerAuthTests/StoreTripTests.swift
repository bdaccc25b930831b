import PushCore
import PushTesting
import Testing

/// How often a login asks the store, which may be on another machine.
struct StoreTripTests {
    @Test func `a login by PIN takes five trips to the store, three of them writes`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        // The token for reading is made once, by the first login.
        #expect(try await phone.approve(bank.ask(), at: id) == .delivered)
        let operation = try await bank.ask()
        let (before, written) = (await phone.disk.trips, await phone.disk.writes)
        _ = try await phone.authenticator.pending(for: id)
        let received = await phone.disk.trips
        let name = Challenge.ID(operation, of: id)
        let challenge = try await phone.authenticator.challenge(name)
        let opened = await phone.disk.trips
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        let answered = await phone.disk.trips
        #expect([received - before, opened - received, answered - opened] == [2, 1, 2])
        #expect(await phone.disk.writes - written == 3)
    }
}

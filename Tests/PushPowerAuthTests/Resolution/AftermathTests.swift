import PushCore
import PushPowerAuthSimulator
import Testing

/// What ends, and what must be left of it.
@Suite struct AftermathTests {
    /// By `operation.canceled`: the app is told that it was cancelled, not just that it's over.
    @Test func `a cancelled operation is withdrawn as cancelled`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated(token: .fcm("t"))
        let operation = try await bank.ask()
        try await phone.deliver()
        try await bank.simulator.cancelOperation(operation)
        let withdrawals = try await phone.deliver().compactMap(\.withdrawal)
        #expect(withdrawals == [Withdrawal(Challenge.ID(operation, of: id), .cancelled)])
    }

    /// What REMOVED means here: `docs/vendors/powerauth.md#in-the-cores-words`.
    @Test func `a removal at the server leaves no key of the device's either`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        let possession = await bank.simulator.possessionKey(of: id.name)
        #expect(try await phone.disk.holds(possession))
        try await bank.simulator.remove(id.name)
        _ = try await phone.authenticator.refresh(id)
        #expect(try await !phone.disk.holds(possession))
    }

    /// A server that has just counted no failure took the PIN.
    @Test func `a proximity code that is too old isn't called a wrong PIN`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        let operation = try await bank.ask { $0.needsProximity = true }
        let link = try await bank.simulator.proximityLink(of: operation)
        _ = try await phone.authenticator.receive(PushMessage(text: link, by: .scanned))
        let challenge = try await phone.authenticator.challenge(Challenge.ID(operation, of: id))
        phone.pass(90)
        let outcome = try await phone.authenticator.resolve(challenge, with: .approve)
        #expect(try await bank.record(id).failedAttempts == 0)
        #expect(outcome.refusal?.reason != .verification)
    }
}

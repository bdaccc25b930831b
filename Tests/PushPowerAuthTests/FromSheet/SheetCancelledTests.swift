import PushCore
import PushPowerAuthSimulator
import Testing

/// Section 1.1, `operation.canceled`: the app is told that it was cancelled, not just that it's over.
@Suite struct SheetCancelledTests {
    @Test func `a cancelled operation is withdrawn as cancelled`() async throws {
        let bank = Bank()
        let phone = try await Mobile(of: bank)
        let id = try await phone.activated(token: .fcm("t"))
        let operation = try await bank.ask()
        try await phone.deliver()
        try await bank.simulator.cancelOperation(operation)
        let withdrawals = try await phone.deliver().compactMap(\.withdrawal)
        #expect(withdrawals == [Withdrawal(Challenge.ID(operation, of: id), .cancelled)])
    }
}

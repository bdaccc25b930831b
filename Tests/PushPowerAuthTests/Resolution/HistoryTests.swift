import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct HistoryTests {
    private let pin = [Evidence.pin(Secret(Customer.pin.utf8))]

    private func history(
        _ phone: PowerAuthHarness, _ id: Enrollment.ID, _ evidence: [Evidence]
    ) async throws -> [Challenge] {
        let history = try #require(phone.provider.history)
        return try await phone.authenticator.turn(of: id) { (account) async throws(PushError) in
            try await history.history(of: account, evidence: evidence)
        }
    }

    @Test func `what is over is told, newest first, and can't be answered`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let first = try await phone.simulator.createOperation(for: Bank.user, .payment)
        phone.pass(1)
        let second = try await phone.simulator.createOperation(for: Bank.user, .login)
        phone.pass(1)
        _ = try await phone.simulator.createOperation(for: Bank.user, .payment)
        try await phone.simulator.cancelOperation(first.id)
        try await phone.simulator.approveElsewhere(second.id)
        let found = try await history(phone, id, pin)
        #expect(found.map(\.id.name) == [second.id, first.id])
        #expect(
            found.map { $0.details(as: PowerAuthOperation.self)?.status } == [.approved, .canceled])
        let areOver = found.allSatisfy { if case .denyOnly = $0.prompt { true } else { false } }
        #expect(areOver)
    }

    @Test func `two factors are asked for, a finger only where one was set up`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let typing = try #require(phone.provider.history)
        #expect(try await typing.verification(of: phone.account(id)) == [[.pin]])
        let other = try await PowerAuthHarness()
        await other.customer.lay(finger: Secret([UInt8](repeating: 7, count: 32)))
        let touching = try #require(other.provider.history)
        #expect(
            try await touching.verification(of: other.account(other.activated()))
                == [[.pin], [.biometry]])
    }

    @Test func `a wrong PIN costs an attempt here, too`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let wrong = [Evidence.pin(Secret("9999".utf8))]
        #expect(await attemptsLeft { _ = try await history(phone, id, wrong) } == 4)
    }

    @Test func `without two factors nothing is asked`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        #expect(await code { try await history(phone, id, [.presence]) } == .verificationFailed)
        #expect(await phone.calls(.history) == 0)
    }
}

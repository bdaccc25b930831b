import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct HistoryTests {
    private let pin = [Evidence.pin(Secret("1234".utf8))]

    private func history(
        _ handset: Handset, _ id: Enrollment.ID, _ evidence: [Evidence]
    ) async throws -> [Challenge] {
        let history = try #require(handset.provider.history)
        return try await handset.authenticator.turn(of: id) { () async throws(PushError) in
            try await history.history(of: id, evidence: evidence)
        }
    }

    @Test func `what is over is told, newest first, and can't be answered`() async throws {
        let (handset, id) = try await Handset.active()
        let first = try await handset.simulator.createOperation(for: "petr", .payment)
        handset.pass(1)
        let second = try await handset.simulator.createOperation(for: "petr", .login)
        handset.pass(1)
        _ = try await handset.simulator.createOperation(for: "petr", .payment)
        try await handset.simulator.cancelOperation(first.id)
        try await handset.simulator.approveElsewhere(second.id)
        let found = try await history(handset, id, pin)
        #expect(found.map(\.id.name) == [second.id, first.id])
        #expect(
            found.map { $0.details(as: PowerAuthOperation.self)?.status } == [.approved, .canceled])
        let areOver = found.allSatisfy { if case .denyOnly = $0.prompt { true } else { false } }
        #expect(areOver)
    }

    @Test func `two factors are asked for, a finger only where one was set up`() async throws {
        let (handset, id) = try await Handset.active()
        let typing = try #require(handset.provider.history)
        #expect(try await typing.verification(for: id) == [[.pin]])
        let other = try await Handset()
        await other.keypad.lay(finger: Secret([UInt8](repeating: 7, count: 32)))
        let touching = try #require(other.provider.history)
        #expect(
            try await touching.verification(for: other.activated()) == [[.pin], [.biometry]])
    }

    @Test func `a wrong PIN costs an attempt here, too`() async throws {
        let (handset, id) = try await Handset.active()
        let wrong = [Evidence.pin(Secret("9999".utf8))]
        #expect(await attemptsLeft { _ = try await history(handset, id, wrong) } == 4)
    }

    @Test func `without two factors nothing is asked`() async throws {
        let (handset, id) = try await Handset.active()
        #expect(await code { try await history(handset, id, [.presence]) } == .verificationFailed)
        #expect(await handset.calls(.history) == 0)
    }
}

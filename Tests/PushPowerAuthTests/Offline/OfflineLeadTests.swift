import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct OfflineLeadTests {
    @Test func `more codes than the server looks over aren't made until it has followed`()
        async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        let code = try await phone.simulator.createOfflineCode(
            PowerAuthSimulator.OfflineRequest(
                operation: "1", title: "Payment", message: "Really?", data: "A1*A100CZK"),
            for: id.name)
        let event = try await phone.event(of: PushMessage(text: code.text, by: .scanned))
        guard case .notice(var announcement) = event else {
            Issue.record("It is a notice.")
            return
        }
        // Without an authenticator, which would ask in the background what else waits.
        let resolver = phone.provider.resolver
        let challenge = try await resolver.challenge(
            for: &announcement, of: try await phone.account(id))
        let yes = Decision(
            announcement, .approve, challenge: challenge,
            evidence: [.pin(Secret(Customer.pin.utf8))], extras: nil)
        for _ in 0..<19 { _ = try await phone.answer(to: yes) }
        let before = try await phone.record(id).counter
        let error = await #expect(throws: PushError.self) { try await phone.answer(to: yes) }
        #expect(error?.code == .blocked)
        #expect(error?.reason.contains("go online once") == true)
        #expect(try await phone.record(id).counter == before)
        #expect(try await phone.authenticator.refresh(id).state == .active)
        let answer = try await phone.answer(to: yes)
        guard
            case .code(let digits, _) = try await resolver.send(
                answer, for: &announcement, of: try await phone.account(id), again: false)
        else {
            Issue.record("The user carries a code.")
            return
        }
        #expect(
            try await phone.simulator.verifyOfflineSignature(digits, of: code.id)
                == .accepted(.possessionKnowledge))
    }
}

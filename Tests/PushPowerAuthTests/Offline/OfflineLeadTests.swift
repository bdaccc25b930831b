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
        let event = try await phone.provider.candidate(
            in: PushMessage(text: code.text, by: .scanned))?.verified()
        guard case .notice(let announcement) = event else {
            Issue.record("It is a notice.")
            return
        }
        // Without an authenticator, which would ask in the background what else waits.
        let challenge = try await phone.provider.resolver.challenge(for: announcement).challenge
        let yes = Decision(
            announcement, .approve, challenge: challenge,
            evidence: [.pin(Secret(Customer.pin.utf8))], extras: nil)
        let resolver = phone.provider.resolver
        for _ in 0..<19 { _ = try await resolver.prepare(yes) }
        let before = try await phone.record(id).counter
        let error = await #expect(throws: PushError.self) { try await resolver.prepare(yes) }
        #expect(error?.code == .blocked)
        #expect(error?.reason.contains("go online once") == true)
        #expect(try await phone.record(id).counter == before)
        #expect(try await phone.authenticator.refresh(id).state == .active)
        let answer = try await resolver.prepare(yes)
        guard
            case .code(let digits, _) = try await resolver.send(
                answer, for: announcement, again: false
            ).outcome
        else {
            Issue.record("The user carries a code.")
            return
        }
        #expect(
            try await phone.simulator.verifyOfflineSignature(digits, of: code.id)
                == .accepted(.possessionKnowledge))
    }
}

import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// A vendor that is busy with a challenge, and documents that it did nothing with the answer.
struct BusyVendorTests {
    private let harness = AuthenticatorHarness()
    private let sent = Sent()

    /// The answers that were sent, and whether each was called a copy.
    private actor Sent {
        private(set) var answers: [String] = []

        func note(_ answer: Answer, again: Bool) {
            answers.append("\(again) \(answer.bytes.copiedText())")
        }
    }

    /// An Acme that documents this of its 409.
    private struct BusyAcme: AcmeVariant {
        let acme: Acme
        let sent: Sent

        func send(
            _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
        ) async throws(PushError) -> Outcome {
            await sent.note(answer, again: again)
            do throws(PushError) {
                return try await acme.send(answer, for: &announcement, of: account, again: again)
            } catch  where error.code == .server(status: 409) {
                throw PushError(.unreachable, "Acme is busy, and did nothing.")
            }
        }
    }

    private func enrolled(_ options: Acme.Options = .init()) async throws -> PushAuthenticator {
        let authenticator = PushAuthenticator(
            try PluginRegistry([BusyAcme(acme: harness.acme("acme", options), sent: sent)]),
            in: harness.environment, configuration: AuthenticatorHarness.quiet)
        _ = try await authenticator.join("ada")
        return authenticator
    }

    private func meetBusyServer() async {
        await harness.faults.next(.status(409), where: { $0.path == "/answer" })
    }

    @Test(arguments: [Answer.Kept.Form.whole, .wholeOnceOpen])
    func `what a busy vendor did nothing with goes out again as it was, without the user`(
        kept: Answer.Kept.Form
    ) async throws {
        let authenticator = try await enrolled(.init(kept: kept, verification: [[.presence]]))
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        await meetBusyServer()
        #expect(
            try await authenticator.resolve(challenge, with: .approve)
                == .unknown("Acme is busy, and did nothing."))
        try await eventually("It sleeps.") { harness.clock.sleepers == 1 }
        harness.clock.advance(by: .seconds(300))
        try await eventually("The vendor's word is recorded.") {
            try await authenticator.record(of: .ada("1"))?.state == .answered(.approve, .delivered)
        }
        let answers = await sent.answers
        #expect(answers.count == 2 && answers.first == answers.last)
        // The second is no copy, so nobody is asked what became of the first.
        #expect(answers.last?.hasPrefix("false") == true)
        #expect(await harness.server.statusQuestions == 0)
        #expect(await harness.verifier.requests.count == 1)
    }

    @Test func `a wrong number after that opens the challenge again, as no copy can be taken`()
        async throws
    {
        let authenticator = try await enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1", prompt: "choose"))
        await meetBusyServer()
        _ = try await authenticator.resolve(challenge, with: .choose("12"))
        guard case .notTaken? = try await authenticator.resume()[.ada("1")] else {
            Issue.record("It isn't refused.")
            return
        }
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        let again = try await authenticator.challenge(.ada("1"))
        #expect(
            try await authenticator.resolve(again, with: .choose(AcmeWire.right)) == .delivered)
    }
}

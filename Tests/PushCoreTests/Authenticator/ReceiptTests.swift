import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// Whose a message was, and whether anything in it is new.
struct ReceiptTests {
    private let harness = AuthenticatorHarness()

    @Test func `the app's own, nothing new and something new are three answers`() async throws {
        let authenticator = try await harness.enrolled()
        let foreign = try await authenticator.receive(PushMessage(fcm: ["hello": "world"]))
        #expect(foreign == .notOurs && !foreign.isOurs && foreign.isEmpty)
        // Acme's, and its server has nothing that waits.
        let nothing = try await authenticator.receive(try AcmeWire.hint("challenges"))
        #expect(nothing == .nothingNew([]) && nothing.isOurs)
        let asked = try await authenticator.receive(try AcmeWire.ask("1"))
        guard case .new(let receptions) = asked else {
            Issue.record("not new: \(asked)")
            return
        }
        #expect(receptions.map(\.challenge) == [.ada("1")] && asked.map(\.isNew) == [true])
        guard case .nothingNew(let again) = try await authenticator.receive(AcmeWire.ask("1"))
        else {
            Issue.record("it is new twice")
            return
        }
        #expect(again.map(\.challenge) == [.ada("1")])
    }

    @Test func `what a hint leads to is new once`() async throws {
        let authenticator = try await harness.enrolled()
        await harness.server.offer(AcmeWire.claims("1"), to: "ada")
        let accepted = try await authenticator.accept(try AcmeWire.hint("challenges"))
        let question = try #require(accepted.question)
        #expect(accepted.receipt == .nothingNew([]))
        guard case .new = try await question.valueWhileWanted().get() else {
            Issue.record("not new")
            return
        }
        guard case .nothingNew = try await authenticator.receive(AcmeWire.hint("challenges")) else {
            Issue.record("new twice")
            return
        }
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// A caller that gives up, such as an extension whose time is over, is let go at once. What others need
/// goes on.
struct GivingUpTests {
    @Test(.timeLimit(.minutes(10)))
    func `a receive that waits for its vendor ends with its caller, and the question goes on`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.server.offer(AcmeWire.claims("1"), to: "ada")
        let gate = Gate()
        await harness.server.hold("/pending", at: gate)
        var updates = await authenticator.updates().makeAsyncIterator()
        let hint = try AcmeWire.hint("challenges")
        let receiving = Task { try await authenticator.receive(hint) }
        await gate.arrival()
        receiving.cancel()
        // The vendor hangs still.
        #expect(await code { try await receiving.value } == .cancelled)
        let other = Task { try await authenticator.receive(hint) }
        await gate.open()
        guard case .received(let reception)? = await updates.next() else {
            Issue.record("nothing was found")
            return
        }
        #expect(reception.challenge == .ada("1") && reception.isNew)
        #expect(try await other.value.isOurs)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a question that waits for its turn ends with its caller, and an answer doesn't`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let gate = Gate()
        await harness.server.hold("/state", at: gate)
        let holding = Task { try await authenticator.refresh(.ada) }
        await gate.arrival()
        let listing = Task { try await authenticator.pending(for: .ada) }
        let answering = Task { try await authenticator.deny(.ada("1")) }
        try await eventually("Both wait.") {
            let waiting = await authenticator.waitingForTurn(of: .ada)
            return waiting.questions == 1 && waiting.first == 1
        }
        listing.cancel()
        answering.cancel()
        #expect(await code { try await listing.value } == .cancelled)
        #expect(await authenticator.waitingForTurn(of: .ada).first == 1)
        await gate.open()
        _ = try await holding.value
        #expect(try await answering.value == .delivered)
    }
}

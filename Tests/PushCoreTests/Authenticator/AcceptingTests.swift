import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

struct AcceptingTests {
    @Test func `a message is on record when it is accepted, and nobody was asked`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let requests = await harness.server.requests
        let accepted = try await authenticator.accept(try AcmeWire.ask("1"))
        #expect(accepted.question == nil)
        #expect(accepted.receipt.map(\.challenge) == [.ada("1")])
        #expect(accepted.receipt.map(\.isNew) == [true])
        #expect(await harness.server.requests == requests)
        // A device that starts now finds it.
        #expect(try await harness.authenticator().record(of: .ada("1"))?.state == .open)
    }

    @Test func `a message that can't be put on record isn't accepted`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let full = PushError(.storage, "The disk is full.")
        await harness.store.refuseWrites { _ in full }
        #expect(await code { try await authenticator.accept(try AcmeWire.ask("1")) } == .storage)
        await harness.store.refuseWrites(nil)
        #expect(try await authenticator.record(of: .ada("1")) == nil)
        let accepted = try await authenticator.accept(try AcmeWire.ask("1"))
        #expect(accepted.receipt.map(\.isNew) == [true])
    }

    @Test func `what isn't trusted isn't accepted, and another app's message is nobody's`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada"])
        let stranger = try AcmeWire.ask("1", to: "bob")
        #expect(await code { try await authenticator.accept(stranger) } != nil)
        #expect(harness.observer.observations.count == 1)
        let foreign = try await authenticator.accept(PushMessage(fcm: ["hello": "world"]))
        #expect(foreign.receipt == .notOurs && foreign.question == nil)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a message that proves nothing is accepted while its vendor is asked`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.server.offer(AcmeWire.claims("1"), to: "ada")
        let gate = Gate()
        await harness.server.hold("/pending", at: gate)
        let accepted = try await authenticator.accept(try AcmeWire.hint("challenges"))
        let question = try #require(accepted.question)
        #expect(accepted.receipt.isEmpty)
        // Without anybody waiting for the answer.
        await gate.arrival()
        #expect(try await authenticator.record(of: .ada("1")) == nil)
        await gate.open()
        let answer = try await question.valueWhileWanted().get()
        #expect(answer.map(\.challenge) == [.ada("1")] && answer.map(\.isNew) == [true])
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
    }

    @Test func `whoever waits for the answer hears that the vendor couldn't be asked`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.faults.next(.refuse)
        let question = try await authenticator.accept(try AcmeWire.hint("challenges")).question
        #expect(await code { try await question?.valueWhileWanted().get() } == .unreachable)
        #expect(harness.observer.observations.map(\.kind) == [.refused(.unreachable)])
    }
}

import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// A decision is sent until the vendor's word on it is known.
struct DeliveryTests {
    private static let lost: [FaultPlan.Fault] = [
        .refuse, .dropBefore, .dropAfter, .status(500), .status(503), .status(429),
    ]

    @Test(arguments: lost)
    func `a lost exchange is unknown, stays decided, and is sent again as it was`(
        fault: FaultPlan.Fault
    ) async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        await harness.faults.next(fault)
        let outcome = try await authenticator.resolve(challenge, with: .approve, extras: "x")
        guard case .unknown = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try await authenticator.record(of: .ada("1"))?.state == .decided(.approve))
        let reborn = try harness.authenticator()
        #expect(try await reborn.resume() == [.ada("1"): .delivered])
        let last = try #require(await harness.server.answers.last)
        // A copy of what was refused can't have arrived, so the next isn't a second one.
        let again = JSON.bool(fault != .refuse)
        #expect(last == ["id": "1", "choice": "approve", "extras": "x", "again": again])
        #expect(try await reborn.resume().isEmpty)
        #expect(await harness.server.taken == ["1": "approve"])
        #expect(await harness.server.statusQuestions == 0)
    }

    @Test func `a decision that can't be sent yet is kept for the next time`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        for _ in 0..<3 { await harness.faults.next(.refuse) }
        _ = try await authenticator.deny(.ada("1"))
        let outcome = try await authenticator.resume()[.ada("1")]
        #expect(outcome == .unknown("The simulated server refuses connections."))
        // The same answer again sends what is kept; a different one is told what stands.
        _ = try await authenticator.deny(.ada("1"))
        #expect(
            await code { try await authenticator.deny(.ada("1"), .fraud) }
                == .decidedOtherwise(.deny(.unexpected)))
        #expect(await harness.server.taken == ["1": "deny:unexpected"])
    }

    @Test func `an error that says more reaches the caller, and the decision stays`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.status(418))
        #expect(await code { try await authenticator.deny(.ada("1")) } == .server(status: 418))
        await harness.faults.next(.status(418))
        #expect(try await authenticator.resume() == [.ada("1"): .unknown("A stranger's word.")])
        #expect(try await authenticator.resume() == [.ada("1"): .delivered])
    }

    @Test func `bytes that may be sent only while the challenge is open are asked about first`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada"], .init(kept: .wholeOnceOpen))
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        _ = try await authenticator.receive(try AcmeWire.ask("2"))
        await harness.faults.next(.dropAfter)
        await harness.faults.next(.dropBefore)
        _ = try await authenticator.deny(.ada("1"))
        _ = try await authenticator.deny(.ada("2"))
        #expect(await harness.server.statusQuestions == 0)
        #expect(
            try await authenticator.resume() == [.ada("1"): .delivered, .ada("2"): .delivered])
        #expect(await harness.server.statusQuestions == 2)
        // The first had arrived, so it wasn't sent again.
        #expect(await harness.server.answers.compactMap { $0["id"]?.string } == ["1", "2"])
    }

    @Test func `a status that can't be asked leaves it unknown, and decided`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada"], .init(kept: .wholeOnceOpen))
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        for _ in 0..<3 { await harness.faults.next(.refuse) }
        _ = try await authenticator.deny(.ada("1"))
        let again = try await authenticator.deny(.ada("1"))
        #expect(again == .unknown("The simulated server refuses connections."))
        #expect(
            await code { try await authenticator.deny(.ada("1"), .fraud) }
                == .decidedOtherwise(.deny(.unexpected)))
    }

    @Test func `a vendor that can't say leaves it unknown`() async throws {
        let harness = AuthenticatorHarness()
        let options = Acme.Options(kept: .wholeOnceOpen, knowsStatus: false)
        let authenticator = try await harness.enrolled(["ada"], options)
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.dropAfter)
        _ = try await authenticator.deny(.ada("1"))
        let outcome = try await authenticator.resume()[.ada("1")]
        #expect(outcome == .unknown("The vendor can't say whether it took the answer."))
        #expect(await harness.server.answers.count == 1)
    }

    @Test func `a PIN is never kept; the user answers again`() async throws {
        let harness = AuthenticatorHarness(verifier: .willing(pin: "902143"))
        let options = Acme.Options(kept: .nothing, verification: [[.pin]])
        let authenticator = try await harness.enrolled(["ada"], options)
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        await harness.faults.next(.dropBefore)
        _ = try await authenticator.resolve(challenge, with: .approve)
        #expect(try await authenticator.record(of: .ada("1"))?.state == .decided(.approve))
        #expect(bytes(try await harness.rawStore(), hold: "902143") == false)
        #expect(bytes(try await harness.rawStore(), hold: "approve"))
        #expect(try await authenticator.resume() == [.ada("1"): .verifyAgain])
        #expect(await harness.server.answers.isEmpty)
        let reopened = try await authenticator.challenge(.ada("1"))
        #expect(try await authenticator.resolve(reopened, with: .approve) == .delivered)
        #expect(await harness.server.answers.compactMap { $0["pin"]?.string } == ["902143"])
        #expect(await harness.verifier.requests.count == 2)
        #expect(bytes(try await harness.rawStore(), hold: "902143") == false)
    }

    @Test func `bytes that may be kept are in the store until the vendor's word, and no longer`()
        async throws
    {
        let harness = AuthenticatorHarness(verifier: .willing(pin: "902143"))
        let authenticator = try await harness.enrolled(["ada"], .init(verification: [[.pin]]))
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        await harness.faults.next(.dropBefore)
        _ = try await authenticator.resolve(challenge, with: .approve)
        #expect(bytes(try await harness.rawStore(), hold: "902143"))
        try await authenticator.resume()
        #expect(bytes(try await harness.rawStore(), hold: "902143") == false)
    }

    @Test func `a decision that must be made again can't become another one`() async throws {
        let harness = AuthenticatorHarness()
        let options = Acme.Options(kept: .nothing, verification: [[.pin]])
        let authenticator = try await harness.enrolled(["ada"], options)
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        await harness.faults.next(.dropAfter)
        _ = try await authenticator.resolve(challenge, with: .approve)
        #expect(
            await code { try await authenticator.deny(.ada("1")) } == .decidedOtherwise(.approve))
        #expect(try await authenticator.resume().isEmpty)
        #expect(
            try await authenticator.record(of: .ada("1"))?.state == .answered(.approve, .delivered))
    }

    @Test func `a denial whose bytes weren't kept is made again unopened`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada"], .init(kept: .nothing))
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.dropBefore)
        _ = try await authenticator.deny(.ada("1"))
        #expect(try await authenticator.resume() == [.ada("1"): .verifyAgain])
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
    }

    @Test func `a cancel after the decision is remembered, and the vendor's word decides`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.dropBefore)
        _ = try await authenticator.deny(.ada("1"))
        #expect(try await authenticator.receive(try AcmeWire.cancel("1")).map(\.isNew) == [true])
        #expect(
            try await authenticator.record(of: .ada("1"))?.state == .decided(.deny(.unexpected)))
        await harness.server.expire("1")
        #expect(try await authenticator.resume() == [.ada("1"): .expired])
    }

    @Test func `a late wrong-choice reply opens the row for another decision`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1", prompt: "choose"))
        await harness.server.sayUntaken()
        await harness.faults.next(.dropBefore)
        _ = try await authenticator.resolve(challenge, with: .choose("12"))
        #expect(try await authenticator.resolve(challenge, with: .choose("34")) == .delivered)
        #expect(
            await harness.server.answers.compactMap { $0["choice"]?.string } == [
                "number:12", "number:34",
            ])
    }

    @Test func `resume leaves what is underway to whoever sends it`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let gate = Gate()
        await harness.server.hold("/answer", at: gate)
        async let outcome = authenticator.deny(.ada("1"))
        await gate.arrival()
        #expect(try await authenticator.resume().isEmpty)
        await gate.open()
        #expect(try await outcome == .delivered)
        #expect(await harness.server.answers.count == 1)
    }

    @Test func `two resumes at once deliver once`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.dropBefore)
        _ = try await authenticator.deny(.ada("1"))
        async let one = authenticator.resume()
        async let two = authenticator.resume()
        let outcomes = try await [one, two]
        #expect(outcomes.contains([.ada("1"): .delivered]))
        #expect(await harness.server.answers.count == 1)
    }

    @Test func `a reply that couldn't be recorded is asked for again`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let gate = Gate()
        await harness.server.hold("/answer", at: gate)
        async let outcome = authenticator.deny(.ada("1"))
        await gate.arrival()
        await harness.store.refuseWrites { _ in PushError(.storage, "Disk full.") }
        await gate.open()
        // What the vendor said is true, whatever the store can keep of it.
        #expect(try await outcome == .delivered)
        #expect(harness.observer.observations.map(\.kind) == [.refused(.storage)])
        await harness.store.refuseWrites(nil)
        #expect(try await authenticator.resume() == [.ada("1"): .delivered])
        #expect(await harness.server.taken == ["1": "deny:unexpected"])
    }
}

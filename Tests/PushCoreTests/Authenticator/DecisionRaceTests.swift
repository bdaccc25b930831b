import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// Who wins when answers meet.
struct DecisionRaceTests {
    /// An authenticator whose server holds the first answer until the gate opens.
    private func held(
        _ harness: AuthenticatorHarness, _ options: Acme.Options = .init()
    ) async throws -> (PushAuthenticator, Challenge, Gate) {
        let authenticator = try await harness.enrolled(["ada"], options)
        let challenge = try await authenticator.open(try AcmeWire.ask("1", prompt: "choose"))
        let gate = Gate()
        await harness.server.hold("/answer", at: gate)
        return (authenticator, challenge, gate)
    }

    @Test func `a double tap sends once, and both get the outcome`() async throws {
        let harness = AuthenticatorHarness()
        let (authenticator, challenge, gate) = try await held(harness)
        async let one = authenticator.resolve(challenge, with: .choose("34"))
        async let two = authenticator.resolve(challenge, with: .choose("34"))
        await gate.arrival()
        await gate.open()
        #expect(try await [one, two] == [.delivered, .delivered])
        #expect(try await authenticator.resolve(challenge, with: .choose("34")) == .delivered)
        #expect(await harness.server.answers.count == 1)
    }

    @Test func `of a yes and a no at once one wins, and the other is told which`() async throws {
        let harness = AuthenticatorHarness()
        let (authenticator, challenge, gate) = try await held(harness)
        async let yes = authenticator.resolve(challenge, with: .choose("34"))
        await gate.arrival()
        async let no = code { try await authenticator.deny(.ada("1")) }
        try await eventually("The other waits.") {
            await authenticator.waitingForDecision(on: .ada("1")) == 1
        }
        await gate.open()
        #expect(try await yes == .delivered)
        #expect(await no == .decidedOtherwise(.choose("34")))
        #expect(await harness.server.answers.count == 1)
    }

    @Test func `many taps at once make one decision`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        let results = await withTaskGroup(of: PushError.Code?.self) { group in
            for tap in 0..<40 {
                group.addTask {
                    await code {
                        let resolution: Resolution =
                            tap.isMultiple(of: 2) ? .approve : .deny(.fraud)
                        return try await authenticator.resolve(challenge, with: resolution)
                    }
                }
            }
            return await group.reduce(into: [PushError.Code?]()) { $0.append($1) }
        }
        #expect(results.filter { $0 == nil }.count == 20)
        #expect(await harness.server.answers.count == 1)
    }

    @Test func `a no gets through when the yes before it was given up`() async throws {
        let gate = Gate()
        let harness = AuthenticatorHarness(
            verifier: ScriptedVerifier { _ throws(PushError) in
                await gate.pass()
                throw PushError(.cancelled, "The user gave up.")
            })
        let authenticator = try await harness.enrolled(["ada"], .init(verification: [[.pin]]))
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        async let yes = code { try await authenticator.resolve(challenge, with: .approve) }
        await gate.arrival()
        async let no = authenticator.deny(.ada("1"))
        try await eventually("The other waits.") {
            await authenticator.waitingForDecision(on: .ada("1")) == 1
        }
        await gate.open()
        #expect(await yes == .cancelled)
        #expect(try await no == .delivered)
        #expect(await harness.server.taken == ["1": "deny:unexpected"])
    }

    @Test func `a right choice gets through when the wrong one before it opened the row`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let (authenticator, challenge, gate) = try await held(harness)
        async let wrong = authenticator.resolve(challenge, with: .choose("12"))
        await gate.arrival()
        async let right = authenticator.resolve(challenge, with: .choose("34"))
        try await eventually("The other waits.") {
            await authenticator.waitingForDecision(on: .ada("1")) == 1
        }
        await gate.open()
        #expect(try await wrong == .notTaken(.init(.wrongChoice, mayRetry: true, attemptsLeft: 2)))
        #expect(try await right == .delivered)
    }

    @Test func `a caller that is cancelled while the user is asked has decided nothing`()
        async throws
    {
        let gate = Gate()
        let harness = AuthenticatorHarness(
            verifier: ScriptedVerifier { _ in
                await gate.pass()
                return [.pin(secret("1234"))]
            })
        let authenticator = try await harness.enrolled(["ada"], .init(verification: [[.pin]]))
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        let caller = Task {
            await code { try await authenticator.resolve(challenge, with: .approve) }
        }
        await gate.arrival()
        caller.cancel()
        await gate.open()
        #expect(await caller.value == .cancelled)
        #expect(await harness.server.answers.isEmpty)
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
    }

    @Test func `who gives the same answer as a caller that is cancelled isn't cancelled`()
        async throws
    {
        let gate = Gate()
        let harness = AuthenticatorHarness(
            verifier: ScriptedVerifier { _ in
                await gate.pass()
                return [.pin(secret("1234"))]
            })
        let authenticator = try await harness.enrolled(["ada"], .init(verification: [[.pin]]))
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        let caller = Task {
            await code { try await authenticator.resolve(challenge, with: .approve) }
        }
        await gate.arrival()
        async let other = authenticator.resolve(challenge, with: .approve)
        try await eventually("The other waits.") {
            await authenticator.waitingForDecision(on: .ada("1")) == 1
        }
        caller.cancel()
        await gate.open()
        #expect(await caller.value == .cancelled)
        #expect(try await other == .delivered)
        #expect(await harness.server.answers.count == 1)
    }

    @Test func `a right choice gets through when resume finds the one on record to be wrong`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1", prompt: "choose"))
        await harness.server.sayUntaken()
        await harness.faults.next(.dropBefore)
        _ = try await authenticator.resolve(challenge, with: .choose("12"))
        let gate = Gate()
        await harness.server.hold("/answer", at: gate)
        async let resumed = authenticator.resume()
        await gate.arrival()
        async let right = authenticator.resolve(challenge, with: .choose("34"))
        try await eventually("The other waits.") {
            await authenticator.waitingForTurn(of: .ada).first == 1
        }
        await gate.open()
        let wrong = Outcome.notTaken(
            .init(.wrongChoice, mayRetry: true, appliesToAllCopies: true, attemptsLeft: 2))
        #expect(try await resumed == [.ada("1"): wrong])
        #expect(try await right == .delivered)
    }

    @Test func `a caller that is cancelled doesn't stop its decision`() async throws {
        let harness = AuthenticatorHarness()
        let (authenticator, challenge, gate) = try await held(harness)
        let caller = Task { try await authenticator.resolve(challenge, with: .choose("34")) }
        await gate.arrival()
        caller.cancel()
        await gate.open()
        #expect(try await caller.value == .delivered)
        #expect(
            try await authenticator.record(of: .ada("1"))?.state
                == .answered(.choose("34"), .delivered))
    }

    @Test(.timeLimit(.minutes(10)))
    func `two processes over one store decide once`() async throws {
        let harness = AuthenticatorHarness()
        let (one, challenge, gate) = try await held(harness)
        let two = try harness.authenticator()
        async let yes = one.resolve(challenge, with: .choose("34"))
        await gate.arrival()
        // The second process leaves the sending to the first, and says what stands.
        #expect(await code { try await two.deny(.ada("1")) } == .decidedOtherwise(.choose("34")))
        await gate.open()
        #expect(try await yes == .delivered)
        #expect(await harness.server.taken == ["1": "number:34"])
        #expect(await harness.server.answers.count == 1)
    }

    @Test func `two processes that race to the store send one kind of answer`() async throws {
        for seed in 0..<20 {
            let harness = AuthenticatorHarness()
            let one = try await harness.enrolled()
            let two = try harness.authenticator()
            let challenge = try await one.open(try AcmeWire.ask("1"))
            let other: Resolution = seed.isMultiple(of: 2) ? .approve : .deny(.fraud)
            async let first = code { try await one.resolve(challenge, with: .approve) }
            async let second = code { try await two.resolve(challenge, with: other) }
            _ = await (first, second)
            let choices = await harness.server.answers.compactMap { $0["choice"]?.string }
            #expect(Set(choices).count == 1)
        }
    }

    // MARK: Turns

    @Test func `a turn that is held lets nobody else in`() async throws {
        let authenticator = try await AuthenticatorHarness().enrolled()
        let gate = Gate()
        let log = Log()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await authenticator.turn(of: .ada) { (_: Account) async throws(PushError) in
                    await gate.pass()
                    await log.add(0)
                }
            }
            await gate.arrival()
            for number in 1...8 {
                group.addTask {
                    try? await authenticator.turn(of: .ada) {
                        (_: Account) async throws(PushError) in
                        await log.add(number)
                    }
                }
            }
            try? await eventually("They wait.") {
                await authenticator.waitingForTurn(of: .ada).first == 8
            }
            await gate.open()
        }
        let numbers = await log.numbers
        #expect(numbers.first == 0 && numbers.sorted() == Array(0...8))
    }

    @Test(.timeLimit(.minutes(10)))
    func `different enrollments don't wait for each other`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        for account in ["ada", "bob"] {
            _ = try await authenticator.receive(try AcmeWire.ask("1", to: account))
        }
        let gate = Gate()
        await harness.server.hold("/answer", at: gate)
        async let ada = authenticator.deny(.ada("1"))
        async let bob = authenticator.deny(.init("1", of: .bob))
        await gate.arrival(2)
        await gate.open()
        #expect(try await [ada, bob] == [.delivered, .delivered])
        #expect(await harness.server.greatestOverlap == 2)
    }

    @Test func `one enrollment's answers go one after the other`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        for id in ["1", "2", "3"] { _ = try await authenticator.receive(try AcmeWire.ask(id)) }
        await withTaskGroup(of: Void.self) { group in
            for id in ["1", "2", "3"] {
                group.addTask { _ = try? await authenticator.deny(.ada(id)) }
            }
        }
        #expect(await harness.server.taken.count == 3)
        #expect(await harness.server.greatestOverlap == 1)
    }

    @Test func `a turn that throws is given on`() async throws {
        let authenticator = try await AuthenticatorHarness().enrolled()
        #expect(
            await code {
                try await authenticator.turn(of: .ada) { (_: Account) async throws(PushError) in
                    throw PushError(.blocked, "No.")
                }
            } == .blocked)
        let value = try await authenticator.turn(of: .ada) { (_: Account) async throws(PushError) in
            7
        }
        #expect(value == 7)
    }
}

private actor Log {
    private(set) var numbers: [Int] = []
    func add(_ number: Int) { numbers.append(number) }
}

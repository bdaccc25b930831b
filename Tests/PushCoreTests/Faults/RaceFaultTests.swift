import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// The same challenge answered more than once: by a nervous finger, two processes, two devices.
struct RaceFaultTests {
    @Test func `a double tap is one answer at the vendor, and both get its outcome`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        async let one = authenticator.resolve(challenge, with: .approve)
        async let two = authenticator.resolve(challenge, with: .approve)
        #expect(try await [one, two] == [.delivered, .delivered])
        #expect(await harness.server.choices() == ["approve"])
    }

    @Test func `of approve and deny at once one is sent, and the other is told which stands`()
        async throws
    {
        for _ in 0..<50 {
            let harness = AuthenticatorHarness()
            let authenticator = try await harness.enrolled()
            let challenge = try await authenticator.open(try AcmeWire.ask("1"))
            async let yes = code {
                try await authenticator.resolve(challenge, with: .approve)
            }
            async let no = code { try await authenticator.deny(.ada("1")) }
            let refusals = await [yes, no].compactMap(\.self)
            let choices = await harness.server.choices()
            #expect(choices.count == 1)
            let standing: Resolution =
                choices == ["approve"] ? .approve : .deny(.unexpected)
            #expect(refusals == [.decidedOtherwise(standing)])
        }
    }

    @Test func `two processes that approve and deny at once send one kind of answer`()
        async throws
    {
        for round in 0..<100 {
            let harness = AuthenticatorHarness()
            let app = try harness.life(named: "app").authenticator
            let service = try harness.life(named: "extension").authenticator
            _ = try await app.join("ada")
            let challenge = try await app.open(try AcmeWire.ask("1"))
            async let yes = code { try await app.resolve(challenge, with: .approve) }
            async let no = code { try await service.deny(.ada("1")) }
            let refusals = await [yes, no].compactMap(\.self)
            let choices = Set(await harness.server.choices())
            #expect(choices.count == 1, "Round \(round).")
            let standing: Resolution =
                choices == ["approve"] ? .approve : .deny(.unexpected)
            #expect(refusals == [.decidedOtherwise(standing)], "Round \(round).")
        }
    }

    @Test func `two processes that give the same answer at once give one, and neither is refused`()
        async throws
    {
        for round in 0..<50 {
            let harness = AuthenticatorHarness()
            let app = try harness.life(named: "app").authenticator
            let service = try harness.life(named: "extension").authenticator
            _ = try await app.join("ada")
            _ = try await app.receive(try AcmeWire.ask("1"))
            async let one = app.deny(.ada("1"))
            async let two = service.deny(.ada("1"))
            for outcome in try await [one, two] {
                switch outcome {
                case .delivered, .unknown: break
                default: Issue.record("Round \(round): \(outcome)")
                }
            }
            #expect(await harness.server.choices() == ["deny:unexpected"], "Round \(round).")
        }
    }

    @Test func `two processes use no value of a counter twice`() async throws {
        let harness = AuthenticatorHarness()
        let options = Acme.Options(counts: true)
        let lives = try ["app", "extension"].map { try harness.life(options, named: $0) }
        _ = try await lives[0].authenticator.join("ada")
        for number in 0..<20 {
            _ = try await lives[0].authenticator.receive(try AcmeWire.ask("\(number)"))
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    _ = try? await lives[number % 2].authenticator.deny(.ada("\(number)"))
                }
            }
        }
        let counters = await harness.server.answers.compactMap { $0["counter"]?.integer }
        #expect(counters.count == 20)
        #expect(Set(counters).count == counters.count)
    }

    @Test func `one enrollment's counter goes up on the wire`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada"], .init(counts: true))
        for number in 0..<20 {
            _ = try await authenticator.receive(try AcmeWire.ask("\(number)"))
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { _ = try? await authenticator.deny(.ada("\(number)")) }
            }
        }
        let counters = await harness.server.answers.compactMap { $0["counter"]?.integer }
        #expect(counters == Array(1...20))
    }

    @Test func `challenges whose names Unicode calls equal are answered each for itself`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let composed = Challenge.ID.ada("caf\u{E9}")
        let decomposed = Challenge.ID.ada("cafe\u{301}")
        let challenge = try await authenticator.open(try AcmeWire.ask(composed.name))
        _ = try await authenticator.receive(try AcmeWire.ask(decomposed.name))
        let gate = Gate()
        await harness.server.hold("/answer", at: gate)
        async let yes = authenticator.resolve(challenge, with: .approve)
        await gate.arrival()
        async let no = code { try await authenticator.deny(decomposed) }
        await harness.server.hold("/answer", at: nil)
        await gate.open()
        #expect(try await yes == .delivered)
        #expect(await no == nil)
        #expect(
            await harness.server.answers.compactMap { $0["choice"]?.string }
                == ["approve", "deny:unexpected"])
    }

    // MARK: Two devices

    /// Two devices of one user, both with the challenge.
    private func devices(
        _ harness: AuthenticatorHarness, _ options: Acme.Options = .init()
    ) async throws -> (one: PushAuthenticator, two: PushAuthenticator) {
        await harness.server.sayAnswered(with: 409)
        let one = try harness.life(options, named: "one").authenticator
        let two = try harness.life(options, named: "two", store: InMemoryStore()).authenticator
        for device in [one, two] {
            _ = try await device.join("ada")
            _ = try await device.receive(try AcmeWire.ask("1"))
        }
        return (one, two)
    }

    @Test
    func `of two devices the first counts, and the second hears that it was answered elsewhere`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let (one, two) = try await devices(harness)
        #expect(try await one.deny(.ada("1"), .fraud) == .delivered)
        let challenge = try await two.challenge(.ada("1"))
        #expect(try await two.resolve(challenge, with: .approve) == .answeredElsewhere)
        #expect(
            try await two.record(of: .ada("1"))?.state == .answered(.approve, .answeredElsewhere))
        #expect(await harness.server.taken == ["1": "deny:fraud"])
        #expect(try await two.resume().isEmpty)
    }

    @Test func `of two devices that answer at once one is taken, the other answered elsewhere`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let (first, second) = try await devices(harness)
        let challenge = try await first.challenge(.ada("1"))
        async let yes = first.resolve(challenge, with: .approve)
        async let no = second.deny(.ada("1"))
        let outcomes = try await [yes, no]
        #expect(outcomes.filter { $0 == .delivered }.count == 1)
        #expect(outcomes.filter { $0 == .answeredElsewhere }.count == 1)
    }

    @Test
    func `a second device that hears of the answer takes the challenge away, and asks nothing`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let (one, two) = try await devices(harness)
        _ = try await one.deny(.ada("1"))
        let heard = try await two.receive(try AcmeWire.cancel("1", .elsewhere))
        #expect(heard.map(\.kind) == [.over(Withdrawal(.ada("1"), .elsewhere))])
        #expect(heard.map(\.isNew) == [true])
        #expect(await code { try await two.deny(.ada("1")) } == .over)
        #expect(await harness.server.answers.count == 1)
    }

    @Test func `the device that answered isn't told that another one did`() async throws {
        let harness = AuthenticatorHarness()
        let (one, _) = try await devices(harness)
        _ = try await one.deny(.ada("1"))
        let heard = try await one.receive(try AcmeWire.cancel("1", .elsewhere))
        #expect(heard.map(\.isNew) == [false])
        #expect(
            try await one.record(of: .ada("1"))?.state
                == .answered(.deny(.unexpected), .delivered))
    }

    @Test func `where the reply was lost, the vendor's word tells whether it was the other device`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let (_, two) = try await devices(harness, .init(kept: .wholeOnceOpen))
        await harness.faults.next(.dropBefore)
        _ = try await two.deny(.ada("1"))
        await harness.server.answerElsewhere("1")
        #expect(try await two.resume() == [.ada("1"): .answeredElsewhere])
        #expect(await harness.server.answers.isEmpty)
    }
}

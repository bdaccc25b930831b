import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// Pushes that prove nothing cost their sender more than this device.
struct HintFloodTests {
    @Test(.timeLimit(.minutes(2)))
    func `however many hints come, one question is under way and one waits`() async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life { $0.hintInterval = .seconds(3) }
        let authenticator = life.authenticator
        _ = try await authenticator.join("ada")
        let gate = Gate()
        await harness.server.hold("/pending", at: gate)
        let hint = try AcmeWire.hint("challenges")
        let first = Task { try await authenticator.receive(hint) }
        await gate.arrival()
        let flood = Task {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 1...199 {
                    group.addTask { (try? await authenticator.receive(hint)) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        try await eventually("All of them wait.") {
            await authenticator.callersOfQuestion(at: .ada) == 199
        }
        await gate.open()
        _ = try await first.value
        // The second question waits for its time.
        try await eventually("The second one waits.") { life.clock.sleepers == 1 }
        #expect(await harness.server.requests["/pending"] == 1)
        life.clock.advance(by: .seconds(5))
        #expect(await flood.value == 199)
        #expect(await harness.server.requests["/pending"] == 2)
    }

    @Test func `an answer goes before all questions that wait`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let gate = Gate()
        await harness.server.hold("/state", at: gate)
        let refreshing = Task { try await authenticator.refresh(.ada) }
        await gate.arrival()
        let asking = (1...20).map { _ in
            Task { _ = try await authenticator.receive(try AcmeWire.hint("challenges")) }
        }
        let listing = (1...20).map { _ in Task { _ = try await authenticator.pending(for: .ada) } }
        // The questions wait for the turn; only then the user answers.
        try await eventually("They wait.") {
            await authenticator.waitingForTurn(of: .ada).questions >= 21
        }
        let answering = Task { try await authenticator.deny(.ada("1")) }
        try await eventually("The answer waits.") {
            await authenticator.waitingForTurn(of: .ada).first == 1
        }
        let order = Gate()
        await harness.server.hold("/pending", at: order)
        await gate.open()
        #expect(try await answering.value == .delivered)
        await order.open()
        for task in asking + listing { try await task.value }
        _ = try await refreshing.value
    }

    @Test func `a hint that names no open challenge asks nobody`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        for name in 1...50 {
            #expect(
                try await authenticator.receive(try AcmeWire.hint("finished", "\(name)")).isEmpty)
        }
        #expect(await harness.server.statusQuestions == 0)
    }

    @Test func `what a hint finds while others wait reaches everyone who waits`() async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life { $0.hintInterval = .seconds(3) }
        _ = try await life.authenticator.join("ada")
        let hint = try AcmeWire.hint("challenges")
        #expect(try await life.authenticator.receive(hint).isEmpty)
        await harness.server.offer(AcmeWire.claims("1"), to: "ada")
        let waiting = (1...3).map { _ in Task { try await life.authenticator.receive(hint) } }
        try await eventually("They wait.") {
            await life.authenticator.callersOfQuestion(at: .ada) == 3 && life.clock.sleepers == 1
        }
        life.clock.advance(by: .seconds(5))
        var news = 0
        for task in waiting {
            let found = try await task.value
            #expect(found.compactMap(\.challenge?.name) == ["1"])
            news += found.filter(\.isNew).count
        }
        #expect(news == 1)
    }

    // MARK: The inbox

    @Test func `the inbox shows what the vendor lists, each message once, read ones never`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.server.list([
            ["id": "m1", "subject": "One\u{202E}"], ["id": "m0", "subject": "Zero", "read": true],
        ])
        let hint = try AcmeWire.hint("inbox", "a text that the push brought")
        let first = try await authenticator.receive(hint)
        #expect(
            first.map(\.kind) == [.inbox(.ada, .init(id: "m1", subject: "One", isRead: false))])
        #expect(first.map(\.isNew) == [true])
        #expect(try await authenticator.receive(hint).isEmpty)
        await harness.server.list([
            ["id": "m2", "subject": "Two"], ["id": "m1", "subject": "One"],
        ])
        let again = try await harness.authenticator().receive(hint)
        #expect(
            again.map(\.kind) == [.inbox(.ada, .init(id: "m2", subject: "Two", isRead: false))])
    }

    @Test func `a message that isn't listed for a while isn't new again`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let hint = try AcmeWire.hint("inbox")
        await harness.server.list([["id": "m1", "subject": "One"]])
        #expect(try await authenticator.receive(hint).count == 1)
        await harness.server.list([["id": "m2", "subject": "Two"]])
        #expect(try await authenticator.receive(hint).count == 1)
        await harness.server.list([["id": "m1", "subject": "One"]])
        #expect(try await authenticator.receive(hint).isEmpty)
    }

    @Test func `a forged push about the inbox shows nothing where nothing is listed`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        #expect(try await authenticator.receive(try AcmeWire.hint("inbox", "Call me")).isEmpty)
    }

    @Test func `what is known of an inbox goes with its enrollment`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.server.list([["id": "m1", "subject": "One"]])
        _ = try await authenticator.receive(try AcmeWire.hint("inbox"))
        try await authenticator.remove(.ada)
        #expect(await harness.store.count == 0)
        _ = try await authenticator.join("ada")
        #expect(try await authenticator.receive(try AcmeWire.hint("inbox")).count == 1)
    }

    @Test func `a hint about an enrollment is news only if its state has changed`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let found = try await authenticator.receive(try AcmeWire.hint("enrollment"))
        #expect(found.map(\.isNew) == [false])
    }

    @Test func `an inbox that hasn't changed is written once`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.server.list([["id": "m1", "subject": "One"]])
        _ = try await authenticator.receive(try AcmeWire.hint("inbox"))
        let before = try await authenticator.revisions()
        _ = try await authenticator.receive(try AcmeWire.hint("inbox"))
        #expect(try await authenticator.revisions() == before)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a hint asks nobody who wants to be left alone`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        var response = HTTPResponse(status: .tooManyRequests)
        response.headerFields[.retryAfter] = "60"
        await harness.faults.next(.reply(response))
        await #expect(throws: PushError.self) { _ = try await authenticator.pending(for: .ada) }
        let asked = await harness.server.requests["/pending"] ?? 0
        #expect(
            await code { try await authenticator.receive(try AcmeWire.hint("challenges")) }
                == .unreachable)
        #expect(await harness.server.requests["/pending"] ?? 0 == asked)
        harness.clock.advance(by: .seconds(61))
        _ = try await authenticator.receive(try AcmeWire.hint("challenges"))
        #expect(await harness.server.requests["/pending"] ?? 0 == asked + 1)
    }
}

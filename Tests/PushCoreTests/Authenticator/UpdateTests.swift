import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

struct UpdateTests {
    @Test func `a subscriber hears what happens, in order, and only what is new`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try harness.authenticator()
        var updates = await authenticator.updates().makeAsyncIterator()
        let enrollment = try await authenticator.join("ada")
        #expect(await updates.next() == .enrollment(enrollment))
        let reception = try #require(
            try await authenticator.receive(try AcmeWire.ask("1")).first)
        #expect(await updates.next() == .received(reception))
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        _ = try await authenticator.deny(.ada("1"))
        #expect(await updates.next() == .outcome(.ada("1"), .delivered))
        try await authenticator.deviceTokenChanged(.fcm("t"))
        let told = try #require(try await authenticator.enrollment(.ada))
        #expect(await updates.next() == .enrollment(told))
        _ = try await authenticator.receive(try AcmeWire.cancel("2"))
        guard case .received(let over)? = await updates.next() else {
            Issue.record("No reception.")
            return
        }
        #expect(over.kind == .over(Withdrawal(.ada("2"), .cancelled)))
        try await authenticator.remove(.ada)
        #expect(await updates.next() == .removed(.ada))
    }

    @Test func `every subscriber hears it, and one who left is forgotten`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try harness.authenticator()
        let left = await authenticator.updates()
        let leaver = Task { for await _ in left {} }
        leaver.cancel()
        await leaver.value
        var one = await authenticator.updates().makeAsyncIterator()
        var two = await authenticator.updates().makeAsyncIterator()
        let enrollment = try await authenticator.join("ada")
        #expect(await one.next() == .enrollment(enrollment))
        #expect(await two.next() == .enrollment(enrollment))
    }

    @Test(.timeLimit(.minutes(10)))
    func `the updates end with their authenticator`() async throws {
        var authenticator: PushAuthenticator? = try AuthenticatorHarness().authenticator()
        let updates = try #require(await authenticator?.updates())
        authenticator = nil
        for await _ in updates {}
    }

    @Test func `a subscriber that falls behind keeps the newest 256`() async throws {
        let harness = AuthenticatorHarness()
        let accounts = (0..<6).map { "user-\($0)" }
        let authenticator = try await harness.enrolled(accounts)
        var updates = await authenticator.updates().makeAsyncIterator()
        for number in 0..<300 {
            _ = try await authenticator.receive(
                try AcmeWire.ask("\(number)", to: accounts[number % 6]))
        }
        guard case .received(let oldest)? = await updates.next() else {
            Issue.record("No reception.")
            return
        }
        #expect(oldest.challenge?.name == "44")
    }

    @Test func `observations count refusals by code and provider, and hold no content`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        for number in 0..<3 {
            let forged = try AcmeWire.push(
                ["kind": "ask", "id": .string("hunter\(number)")], to: "ada", key: "wrong")
            _ = await code { try await authenticator.receive(forged) }
        }
        let heard = harness.observer.observations
        #expect(heard.map(\.count) == [1, 2, 3])
        #expect(!"\(heard)".contains("hunter"))
    }
}

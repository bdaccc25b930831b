import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What can be opened, and what ends on the way.
@Suite struct OpeningTests {
    private let harness = AuthenticatorHarness()

    private func asked(_ count: Int = 2) async throws -> PushAuthenticator {
        let authenticator = try await harness.enrolled(["ada", "bob"])
        for account in ["ada", "bob"] {
            for name in 1...count {
                _ = try await authenticator.receive(try AcmeWire.ask("\(name)", to: account))
            }
        }
        return authenticator
    }

    private var bobs: Challenge.ID { Challenge.ID("1", of: .bob) }

    private func open(_ authenticator: PushAuthenticator) async -> PushError.Code? {
        await code {
            try await authenticator.turn(of: .ada("1")) {
                (_: Announcement, _: Account) async throws(PushError) -> Int in 1
            }
        }
    }

    // MARK: What its provider keeps of it

    /// An Acme that keeps nothing of a challenge, and says so each time.
    private struct ForgetfulAcme: AcmeVariant {
        let acme: Acme

        func candidate(in message: PushMessage) -> PushMessage.Candidate? {
            acme.candidate(in: message).map { whole in
                PushMessage.Candidate(whole) {
                    (whole, accounts) async throws(PushError) -> PushEvent in
                    guard case .notice(let known) = try await whole.verified(with: accounts) else {
                        throw PushError(.unsupported, "It announces nothing.")
                    }
                    return .notice(Announcement(known.notice, renewsContext: true))
                }
            }
        }

        func challenge(
            for announcement: inout Announcement, of account: Account
        ) async throws(PushError) -> Challenge {
            announcement.renew(Secret([]))
            return Challenge(for: announcement.notice, prompt: .approve)
        }
    }

    @Test func `a context that stays empty is no write`() async throws {
        let store = CountingStore()
        let harness = AuthenticatorHarness(store: store)
        let acme = ForgetfulAcme(acme: harness.acme())
        let authenticator = PushAuthenticator(
            try PluginRegistry([acme]), in: harness.environment,
            configuration: AuthenticatorHarness.quiet)
        _ = try await authenticator.join("ada")
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let written = await store.writes
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        #expect(await store.writes == written)
        let challenge = try await authenticator.challenge(.ada("1"))
        #expect(await store.writes == written)
        #expect(try await authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    // MARK: What a door can open

    @Test func `a door can't open what was answered`() async throws {
        let authenticator = try await asked()
        #expect(await open(authenticator) == nil)
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
        #expect(await open(authenticator) == .over)
    }

    @Test func `a door can't open what is on its way by itself`() async throws {
        let authenticator = try await asked()
        await harness.faults.next(.dropBefore) { $0.path == "/answer" }
        _ = try await authenticator.deny(.ada("1"))
        #expect(await open(authenticator) == .over)
    }

    // MARK: A door's turn

    @Test(arguments: [Withdrawal.Reason.elsewhere, .cancelled, .finished, .expired])
    func `a door that is told of an end closes the challenge, and no other`(
        reason: Withdrawal.Reason
    ) async throws {
        let authenticator = try await asked()
        let error = PushError(.over, "Acme says so.", ends: reason)
        let found = await code {
            try await authenticator.turn(of: .ada("1")) {
                (announcement: Announcement, _: Account) async throws(PushError) -> Int in
                #expect(announcement.notice.id == .ada("1"))
                throw error
            }
        }
        #expect(found == .over)
        #expect(
            try await authenticator.record(of: .ada("1"))?.state
                == .over(Withdrawal(.ada("1"), reason)))
        #expect(try await authenticator.record(of: .ada("2"))?.state == .open)
        #expect(try await authenticator.record(of: bobs)?.state == .open)
    }

    @Test func `a door's other troubles close nothing`() async throws {
        let authenticator = try await asked()
        for expected in [PushError.Code.over, .unreachable, .blocked] {
            let found = await code {
                try await authenticator.turn(of: .ada("1")) {
                    (_: Announcement, _: Account) async throws(PushError) -> Int in
                    throw PushError(expected, "Perhaps.")
                }
            }
            #expect(found == expected)
            #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        }
        let value = try await authenticator.turn(of: .ada("1")) {
            (_: Announcement, _: Account) async throws(PushError) -> Int in 7
        }
        #expect(value == 7)
    }

    // MARK: A lost enrollment

    private func lose(_ authenticator: PushAuthenticator) async throws {
        try await authenticator.turn(of: .ada) { (account: Account) async throws(PushError) in
            try await account.changeEnrollment { $0.state = .needsReenrollment }
        }
    }

    @Test func `an enrollment that is lost in a turn loses all that is open`() async throws {
        let authenticator = try await asked()
        #expect(try await authenticator.deny(.ada("2")) == .delivered)
        try await lose(authenticator)
        #expect(
            try await authenticator.record(of: .ada("1"))?.state
                == .over(Withdrawal(.ada("1"), .cancelled)))
        #expect(
            try await authenticator.record(of: .ada("2"))?.state
                == .answered(.deny(.unexpected), .delivered))
        #expect(try await authenticator.record(of: bobs)?.state == .open)
    }

    @Test func `what a vendor asks after all isn't closed by an old loss`() async throws {
        let authenticator = try await asked()
        try await lose(authenticator)
        _ = try await authenticator.receive(try AcmeWire.ask("3"))
        try await authenticator.turn(of: .ada) { (_: Account) async throws(PushError) -> Void in }
        #expect(try await authenticator.record(of: .ada("3"))?.state == .open)
    }

    @Test func `whatever a vendor is asked, an enrollment it doesn't know loses all that is open`()
        async throws
    {
        let authenticator = try await asked()
        let found = await code {
            try await authenticator.turn(of: .ada) { (_: Account) async throws(PushError) -> Int in
                throw PushError(.unknownEnrollment, "Acme forgot it.")
            }
        }
        #expect(found == .unknownEnrollment)
        #expect(
            try await authenticator.record(of: .ada("1"))?.state
                == .over(Withdrawal(.ada("1"), .cancelled)))
        #expect(try await authenticator.record(of: bobs)?.state == .open)
    }
}

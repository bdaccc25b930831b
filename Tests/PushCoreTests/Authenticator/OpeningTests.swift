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
                (_: Announcement) async throws(PushError) -> Int in 1
            }
        }
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
                (announcement: Announcement) async throws(PushError) -> Int in
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
                    (_: Announcement) async throws(PushError) -> Int in
                    throw PushError(expected, "Perhaps.")
                }
            }
            #expect(found == expected)
            #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        }
        let value = try await authenticator.turn(of: .ada("1")) {
            (_: Announcement) async throws(PushError) -> Int in 7
        }
        #expect(value == 7)
    }

    // MARK: A lost enrollment

    private func lose(_ authenticator: PushAuthenticator) async throws {
        let vault = harness.environment.vault(for: "acme")
        try await authenticator.turn(of: .ada) { () async throws(PushError) -> Void in
            try await vault.update(.ada) { $0.enrollment.state = .needsReenrollment }
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
        try await authenticator.turn(of: .ada) { () async throws(PushError) -> Void in }
        #expect(try await authenticator.record(of: .ada("3"))?.state == .open)
    }

    @Test func `whatever a vendor is asked, an enrollment it doesn't know loses all that is open`()
        async throws
    {
        let authenticator = try await asked()
        let found = await code {
            try await authenticator.turn(of: .ada) { () async throws(PushError) -> Int in
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

import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What a provider learns while it opens, tells or removes something, and what the ledger makes of
/// it.
struct PushErrorEndsTests {
    private let harness = AuthenticatorHarness()

    private func authenticator(
        opening error: PushError? = nil, _ change: (inout ForthrightAcme) -> Void = { _ in }
    ) async throws -> PushAuthenticator {
        var provider = ForthrightAcme(acme: harness.acme(), opening: error)
        change(&provider)
        let authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: harness.environment,
            configuration: AuthenticatorHarness.quiet)
        for account in ["ada", "bob"] {
            _ = try await authenticator.join(account)
            _ = try await authenticator.receive(try AcmeWire.ask("1", to: account))
        }
        return authenticator
    }

    private func end(_ reason: Withdrawal.Reason) -> PushError {
        PushError(.over, "Acme says so.", ends: reason)
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [Withdrawal.Reason.elsewhere, .cancelled, .finished, .expired, .unknown])
    func `an end that is told while opening closes the row, with its reason`(
        reason: Withdrawal.Reason
    ) async throws {
        let authenticator = try await authenticator(opening: end(reason))
        var updates = await authenticator.updates().makeAsyncIterator()
        #expect(await code { try await authenticator.challenge(.ada("1")) } == .over)
        let withdrawal = Withdrawal(.ada("1"), reason)
        #expect(try await authenticator.record(of: .ada("1"))?.state == .over(withdrawal))
        guard case .received(let reception)? = await updates.next() else {
            Issue.record("The app hears of it.")
            return
        }
        #expect(reception.kind == .over(withdrawal))
        #expect(reception.isNew)
        #expect(await code { try await authenticator.deny(.ada("1")) } == .over)
        #expect(await harness.server.answers.isEmpty)
        #expect(
            try await authenticator.record(of: Challenge.ID("1", of: .bob))?.state == .open)
    }

    @Test func `an error can tell the end whatever its code, and keeps what caused it`()
        async throws
    {
        let error = PushError(
            .blocked, "Too many wrong PINs.", ends: .finished, underlying: Lockout(seconds: 30))
        let authenticator = try await authenticator(opening: error)
        do {
            _ = try await authenticator.challenge(.ada("1"))
            Issue.record("It is over.")
        } catch {
            #expect(error.code == .blocked)
            #expect(error.ends == .finished)
            #expect((error.underlying as? Lockout)?.seconds == 30)
        }
        #expect(
            try await authenticator.record(of: .ada("1"))?.state
                == .over(Withdrawal(.ada("1"), .finished)))
    }

    @Test(arguments: [PushError.Code.over, .unreachable, .untrusted, .blocked])
    func `an error that tells no end leaves the row open`(code expected: PushError.Code)
        async throws
    {
        let authenticator = try await authenticator(opening: PushError(expected, "Perhaps."))
        #expect(await code { try await authenticator.challenge(.ada("1")) } == expected)
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
    }

    @Test func `what lies beneath an error ends nothing, even another error that tells an end`()
        async throws
    {
        let error = PushError(.interrupted, "Perhaps.", underlying: end(.cancelled))
        let authenticator = try await authenticator(opening: error)
        #expect(await code { try await authenticator.challenge(.ada("1")) } == .interrupted)
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
    }

    @Test func `an error that is said of a provider keeps the end that it tells`() {
        let error = end(.expired).attributed(to: "acme")
        #expect(error.ends == .expired)
        #expect(error.provider == "acme")
        #expect(PushError(.over, "Perhaps.").attributed(to: "acme").ends == nil)
    }

    @Test func `an end that is told while an answer is on its way waits for the vendor's word`()
        async throws
    {
        let authenticator = try await authenticator(opening: end(.cancelled))
        await harness.faults.next(.dropBefore, .dropBefore) { $0.path == "/answer" }
        _ = try await authenticator.deny(.ada("1"))
        #expect(
            try await authenticator.record(of: .ada("1"))?.state == .decided(.deny(.unexpected)))
        #expect(await code { try await authenticator.challenge(.ada("1")) } == .over)
        #expect(
            try await authenticator.record(of: .ada("1"))?.state == .decided(.deny(.unexpected)))
        try await authenticator.resume()
        #expect(
            try await authenticator.record(of: .ada("1"))?.state
                == .answered(.deny(.unexpected), .delivered))
    }

    @Test
    func `an enrollment that the vendor no longer knows loses all that is open, and no other`()
        async throws
    {
        let authenticator = try await authenticator(
            opening: PushError(.unknownEnrollment, "Acme forgot it."))
        _ = try await authenticator.receive(try AcmeWire.ask("2"))
        _ = try await authenticator.receive(try AcmeWire.ask("3"))
        #expect(try await authenticator.deny(.ada("3")) == .delivered)
        #expect(await code { try await authenticator.challenge(.ada("1")) } == .unknownEnrollment)
        for name in ["1", "2"] {
            #expect(
                try await authenticator.record(of: .ada(name))?.state
                    == .over(Withdrawal(.ada(name), .cancelled)))
        }
        #expect(
            try await authenticator.record(of: .ada("3"))?.state
                == .answered(.deny(.unexpected), .delivered))
        #expect(
            try await authenticator.record(of: Challenge.ID("1", of: .bob))?.state == .open)
        #expect(try await authenticator.enrollment(.ada) != nil)
    }

    @Test func `so does one of which the vendor says so when it is told a device token`()
        async throws
    {
        let authenticator = try await authenticator { $0.forgotten = .ada }
        let failures = try await authenticator.deviceTokenChanged(.fcm("t"))
        #expect(failures.mapValues(\.code) == [.ada: .unknownEnrollment])
        #expect(
            try await authenticator.record(of: .ada("1"))?.state
                == .over(Withdrawal(.ada("1"), .cancelled)))
        #expect(
            try await authenticator.record(of: Challenge.ID("1", of: .bob))?.state == .open)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a removal that threw but wiped the device tidies the ledger, and is told`() async throws {
        let authenticator = try await authenticator { $0.wipesFirst = true }
        var updates = await authenticator.updates().makeAsyncIterator()
        await harness.faults.next(.refuse) { $0.path == "/remove" }
        #expect(await code { try await authenticator.remove(.ada) } == .unreachable)
        #expect(try await authenticator.enrollment(.ada) == nil)
        #expect(try await authenticator.records().map(\.id.enrollment) == [.bob])
        #expect(await updates.next() == .removed(.ada))
        _ = try await authenticator.join("ada")
        #expect(try await authenticator.records().map(\.id.enrollment) == [.bob])
    }
}

/// What a plugin's error has beneath it.
private struct Lockout: Error {
    let seconds: Int
}

/// An Acme that says what it learns on the way.
private struct ForthrightAcme: AcmeVariant {
    let acme: Acme
    /// What opening a challenge throws.
    let opening: PushError?
    /// What the vendor no longer knows when it's told a device token.
    var forgotten: Enrollment.ID?
    /// Whether removing wipes the device before the vendor hears of it.
    var wipesFirst = false

    init(acme: Acme, opening: PushError?) {
        self.acme = acme
        self.opening = opening
    }

    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
        if account.id == forgotten { throw PushError(.unknownEnrollment, "Acme forgot it.") }
        try await acme.update(deviceToken, of: account)
    }

    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        guard wipesFirst else { return try await acme.remove(account, from: place) }
        let key = try Acme.key(in: account.credential())
        try await acme.accounts.delete(account.id)
        _ = try await acme.post("/remove", [:], of: account.id, key: key)
    }

    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        if let opening { throw opening }
        return try await acme.challenge(for: &announcement, of: account)
    }
}

import Foundation
import PushCore

@testable import FictionalVendor

/// An Acme one of whose calls fails, with an error that names no provider.
struct CarelessAcme: AcmeVariant {
    /// Every call that the core makes and that can fail.
    enum Call: String, CaseIterable, Sendable {
        case verified, offer, enroll, update, refresh, remove
        case challenge, prepare, send, status, pending
        case unread, verification, code
    }

    static let error = PushError(.malformed, "Nobody says whose this is.")

    let acme: Acme
    let failing: Call

    var inbox: (any Inbox)? { self }
    var codes: (any CodeGenerator)? { self }

    private func call(_ call: Call) throws(PushError) {
        if call == failing { throw Self.error }
    }

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        acme.candidate(in: message).map { whole in
            PushMessage.Candidate(whole) { (whole, accounts) async throws(PushError) -> PushEvent in
                try call(.verified)
                return try await whole.verified(with: accounts)
            }
        }
    }

    // MARK: Enroller

    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        try call(.offer)
        return try acme.offer(invitation)
    }

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        try call(.enroll)
        return try await acme.enroll(offer, with: evidence, deviceToken: deviceToken)
    }

    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
        try call(.update)
        try await acme.update(deviceToken, of: account)
    }

    func refresh(_ account: Account) async throws(PushError) -> Enrollment {
        try call(.refresh)
        return try await acme.refresh(account)
    }

    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        try call(.remove)
        try await acme.remove(account, from: place)
    }

    // MARK: Resolver

    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        try call(.challenge)
        return try await acme.challenge(for: &announcement, of: account)
    }

    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        try call(.prepare)
        return try await acme.prepare(decision, of: account)
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        try call(.send)
        return try await acme.send(answer, for: &announcement, of: account, again: again)
    }

    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        try call(.status)
        return try await acme.status(for: &announcement, of: account, kept: kept)
    }

    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        try call(.pending)
        return try await acme.pending(of: account, after: hint)
    }
}

extension CarelessAcme: Inbox {
    func messages(of account: Account) async throws(PushError) -> [InboxMessage] {
        try call(.unread)
        return try await acme.messages(of: account)
    }
}

extension CarelessAcme: CodeGenerator {
    func verification(of account: Account) async throws(PushError) -> [[Factor]] {
        try call(.verification)
        return []
    }

    func code(
        of account: Account, evidence: [Evidence]
    ) async throws(PushError) -> OneTimeCode {
        try call(.code)
        return OneTimeCode(Secret("code".utf8), expiry: morning)
    }
}

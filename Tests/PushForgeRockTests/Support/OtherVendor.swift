import Foundation
import PushCore

/// Another vendor's plugin, whose server is AM's own host. It believes what it is sent.
struct OtherVendor: PushProvider {
    static let enrollment = Enrollment.ID("one", of: "other")

    let id: ProviderID = "other"
    var enroller: any Enroller { Nothing() }
    var resolver: any Resolver { Nothing() }

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        message["other"].map {
            PushMessage.Candidate($0.string ?? "", verifiedBy: event(named:in:))
        }
    }

    private func event(
        named name: String, in accounts: Accounts
    ) async throws(PushError) -> PushEvent {
        let notice = Notice(
            id: Challenge.ID(name, of: Self.enrollment), issued: WorkedExample.issued,
            expiry: WorkedExample.expiry, proof: .mac)
        return .notice(Announcement(notice))
    }

    static func push(_ name: String) throws -> PushMessage {
        try PushMessage(json: JSON.object(["other": .string(name)]).data)
    }

    /// An enrollment at a host.
    static func join(_ host: String, port: Int, in environment: PushEnvironment) async throws {
        try await environment.accounts(for: "other").create(
            Enrollment(
                id: enrollment, host: host, port: port, state: .active,
                created: environment.clock.now),
            Secret([]))
    }

    private struct Nothing: Enroller, Resolver {
        private var error: PushError { PushError(.unsupported, "It only receives.") }

        func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? { nil }

        func enroll(
            _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
        ) async throws(PushError) -> Enrollment { throw error }

        func update(
            _ deviceToken: DeviceToken?, of account: Account
        ) async throws(PushError) { throw error }

        func refresh(_ account: Account) async throws(PushError) -> Enrollment { throw error }

        func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
            throw error
        }

        func challenge(
            for announcement: inout Announcement, of account: Account
        ) async throws(PushError) -> Challenge { throw error }

        func prepare(
            _ decision: Decision, of account: Account
        ) async throws(PushError) -> Signing { throw error }

        func send(
            _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
        ) async throws(PushError) -> Outcome { throw error }
    }
}

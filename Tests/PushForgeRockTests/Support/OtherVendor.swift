import Foundation
import PushCore

/// Another vendor's plugin, whose server is AM's own host. It believes what it is sent.
struct OtherVendor: PushProvider {
    static let enrollment = Enrollment.ID("one", of: "other")

    let id: ProviderID = "other"
    var enroller: any Enroller { Nothing() }
    var resolver: any Resolver { Nothing() }

    func candidate(in message: PushMessage) -> PushCandidate? {
        message["other"].map { PushCandidate($0.string ?? "", verifiedBy: event(named:)) }
    }

    private func event(named name: String) async throws(PushError) -> PushEvent {
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
        try await environment.vault(for: "other").create(
            Credential(
                Enrollment(
                    id: enrollment, host: host, port: port, state: .active,
                    created: environment.clock.now),
                secret: Secret([])))
    }

    private struct Nothing: Enroller, Resolver {
        private var error: PushError { PushError(.unsupported, "It only receives.") }

        func offer(_ invitation: Invitation) throws(PushError) -> Offer? { nil }

        func enroll(
            _ offer: Offer, with evidence: [Evidence], deviceToken: DeviceToken?
        ) async throws(PushError) -> Enrollment { throw error }

        func update(
            _ deviceToken: DeviceToken?, for enrollment: Enrollment.ID
        ) async throws(PushError) { throw error }

        func refresh(_ enrollment: Enrollment.ID) async throws(PushError) -> Enrollment {
            throw error
        }

        func remove(
            _ enrollment: Enrollment.ID, from place: Removal
        ) async throws(PushError) { throw error }

        func challenge(for announcement: Announcement) async throws(PushError) -> Opened {
            throw error
        }

        func prepare(_ decision: Decision) async throws(PushError) -> Answer { throw error }

        func send(
            _ answer: Answer, for announcement: Announcement, again: Bool
        ) async throws(PushError) -> Reply { throw error }
    }
}

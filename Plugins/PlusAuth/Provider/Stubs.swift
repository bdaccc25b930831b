import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

package struct AccountKeySource: Sendable {
    package static let fresh = AccountKeySource()
}
struct ContextText { init?(_ message: PushMessage) { nil }; var hasShape: Bool { false } }
struct PlusAuthCredential {
    init(_ s: Secret) throws(PushError) { throw PushError(.unsupported, "x") }
}
extension PushAccountDetails {
    init(_ c: PlusAuthCredential, _ e: Enrollment) {
        secret = nil; hashAlg = ""; codeLength = 0; ttl = 0; isSimBound = false;
        simCardIdentifiers = []; fcmToken = nil; deviceIdentifier = ""
    }
}
extension PlusAuth {
    func verifiedEvent(from message: PushMessage) async throws(PushError) -> PushEvent {
        throw PushError(.unsupported, "x")
    }
}
struct PlusAuthEnroller: Enroller {
    let provider: PlusAuth
    func offer(_ invitation: Invitation) throws(PushError) -> Offer? { nil }
    func enroll(_ offer: Offer, with evidence: [Evidence], deviceToken: DeviceToken?)
        async throws(PushError) -> Enrollment
    { throw PushError(.unsupported, "x") }
    func update(_ deviceToken: DeviceToken?, for enrollment: Enrollment.ID) async throws(PushError)
    { throw PushError(.unsupported, "x") }
    func refresh(_ enrollment: Enrollment.ID) async throws(PushError) -> Enrollment {
        throw PushError(.unsupported, "x")
    }
    func remove(_ enrollment: Enrollment.ID) async throws(PushError) {
        throw PushError(.unsupported, "x")
    }
}
struct PlusAuthResolver: Resolver {
    let provider: PlusAuth
    func challenge(for announcement: Announcement) async throws(PushError) -> Challenge {
        throw PushError(.unsupported, "x")
    }
    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        throw PushError(.unsupported, "x")
    }
    func send(_ answer: Answer, for announcement: Announcement, again: Bool) async throws(PushError)
        -> Outcome
    { throw PushError(.unsupported, "x") }
}
struct PlusAuthCodes: CodeGenerator {
    let provider: PlusAuth
    func code(for enrollment: Enrollment.ID, evidence: [Evidence]) async throws(PushError)
        -> OneTimeCode
    { throw PushError(.unsupported, "x") }
}

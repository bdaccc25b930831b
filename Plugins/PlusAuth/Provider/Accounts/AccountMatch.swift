import PushCore
import PushJOSE

/// An account whose key verified a context, and what the context says.
struct AccountMatch: Sendable {
    let enrollment: Enrollment.ID
    let credential: PlusAuthCredential
    let verified: VerifiedJWS

    init(
        _ jws: UnverifiedJWS, by key: AccountVerificationKey, of credential: PlusAuthCredential,
        _ enrollment: Enrollment.ID
    ) throws(PushError) {
        verified = try key.verified(jws)
        self.credential = credential
        self.enrollment = enrollment
    }
}

import PushCore
import PushJOSE

/// An account whose key verified a context, and what the context says.
struct AccountMatch: Sendable {
    let account: Account
    let credential: PlusAuthCredential
    let verified: VerifiedJWS

    init(
        _ jws: UnverifiedJWS, by key: AccountVerificationKey, of credential: PlusAuthCredential,
        _ account: Account
    ) throws(PushError) {
        verified = try key.verified(jws)
        self.credential = credential
        self.account = account
    }
}

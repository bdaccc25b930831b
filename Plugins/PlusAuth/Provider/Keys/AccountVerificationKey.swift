import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The key that verifies an account's pushes, in a form that a credential keeps and every push reads.
///
/// That form is read without building the private key again: for RS256 the length of the public
/// exponent in one byte, the exponent, the modulus; for ES256 the two coordinates.
enum AccountVerificationKey: Sendable {
    case rs256(RS256PublicKey)
    case es256(ES256PublicKey)

    init(_ algorithm: PlusAuth.KeyAlgorithm, stored: Secret) throws(PushError) {
        switch algorithm {
        case .rs256:
            self = .rs256(
                try stored.withBytes { (bytes) throws(PushError) in
                    let start = 1 + Int(bytes.first ?? 0)
                    guard 1 < start, start < bytes.count else { throw Self.damaged }
                    return try RS256PublicKey(
                        modulus: UnsafeRawBufferPointer(rebasing: bytes[start...]),
                        exponent: UnsafeRawBufferPointer(rebasing: bytes[1..<start]))
                })
        case .es256:
            let key = stored.withBytes { try? P256.Signing.PublicKey(rawRepresentation: $0) }
            guard let key else { throw Self.damaged }
            self = .es256(ES256PublicKey(key))
        }
    }

    static func stored(_ numbers: RSAPrivateNumbers) -> Secret {
        let (exponent, modulus) = (numbers.publicExponent, numbers.modulus)
        return Secret(count: 1 + exponent.count + modulus.count) { output in
            output[0] = UInt8(truncatingIfNeeded: exponent.count)
            exponent.withBytes { output[1...].copyBytes(from: $0) }
            modulus.withBytes { output[(1 + exponent.count)...].copyBytes(from: $0) }
        }
    }

    static func stored(_ key: ES256PublicKey) -> Secret {
        Secret(key.key.rawRepresentation)
    }

    func verified(_ jws: UnverifiedJWS) throws(PushError) -> VerifiedJWS {
        switch self {
        case .rs256(let key): try jws.verified(by: key)
        case .es256(let key): try jws.verified(by: key)
        }
    }

    private static let damaged = PushError(.malformed, "The credential is damaged.")
}

/// An account's credential as it was read, and the key that verifies its pushes.
struct ReadAccount: Sendable {
    let credential: PlusAuthCredential
    let key: AccountVerificationKey

    init(_ sealed: Secret) throws(PushError) {
        credential = try PlusAuthCredential(sealed)
        key = try credential.verificationKey
    }
}

/// Accounts as they were read last: to read a credential and to build its key, for RS256, costs a good
/// part of a verification.
///
/// It's a cache, which may be dropped at any moment. Every push reads its account's record from the
/// store again, and what is kept counts only for the very bytes that it was read from: nothing outlives
/// its record there, or its replacement. What was removed on this device is dropped at once, and all
/// goes with the provider; the secrets are zeroed then.
actor ReadAccounts {
    private static let most = 64

    private var read: [Enrollment.ID: (sealed: Secret, account: ReadAccount)] = [:]

    /// How many are kept.
    var count: Int { read.count }

    /// Forgets every account; the next push reads its own again.
    func dropCaches() { read = [:] }

    /// The account that a record's provider half holds.
    ///
    /// - Throws: `PushError` with the code `malformed` if it is damaged.
    func account(_ id: Enrollment.ID, in sealed: Secret) throws(PushError) -> ReadAccount {
        if let kept = read[id], kept.sealed.isEqualInConstantTime(to: sealed) {
            return kept.account
        }
        let account = try ReadAccount(sealed)
        if read.count >= Self.most { read = [:] }
        read[id] = (sealed, account)
        return account
    }
}

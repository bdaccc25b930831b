import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The JWTs this device sends: HS256 with the shared secret.
enum AMToken {
    static func signed(_ claims: JSON.Object, with secret: Secret) throws(PushError) -> String {
        try HS256Key(secret).compactJWS(
            of: JSON.object(claims).data, header: ["typ": "JWT", "alg": "HS256"])
    }
}

/// The proof that this device holds the shared secret.
enum ChallengeResponse {
    /// HMAC-SHA256 of the challenge's bytes, in padded standard Base64: AM compares it as text.
    static func text(
        for challenge: some ContiguousBytes, with secret: Secret
    ) -> String {
        challenge.withUnsafeBytes { bytes in
            let code = HMAC<SHA256>.authenticationCode(
                for: bytes, using: secret.withBytes { SymmetricKey(data: $0) })
            return Base64.encode(Data(code))
        }
    }
}

import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What asks for an activation, and may be sent again after a lost reply.
///
/// It holds a key that proves the activation secret, not the secret: who has that could open the PIN
/// setup in the body.
struct ActivationRequest {
    /// The name of the activation secret.
    let id: String

    /// Proves the activation secret.
    let macKey: Secret

    /// The body, as it is sent.
    let body: Secret

    /// The claims that prove the activation secret for one request.
    func proof(idm: String, issuer: String, requestID: String, bodyHash: String) -> JSON.Object {
        let text = "OXRW1-ACT\n\(idm)\n\(issuer)\n\(requestID)\n\(bodyHash)"
        let code = macKey.withBytes {
            HMAC<SHA256>.authenticationCode(
                for: Data(text.utf8), using: SymmetricKey(data: $0))
        }
        return [
            "act": .string(id), "mac": .string(Base64.encode(Data(code), as: .url)),
        ]
    }
}

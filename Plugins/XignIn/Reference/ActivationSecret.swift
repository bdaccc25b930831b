import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What both sides derive from the activation secret, so that neither it nor the PIN can be read on
/// the way (HKDF with SHA-256, RFC 5869).
struct ActivationSecret {
    private let secret: SymmetricKey
    private let idm: String

    init(_ secret: Secret, idm: String) {
        self.secret = secret.withBytes { SymmetricKey(data: $0) }
        self.idm = idm
    }

    /// The secret's name on the wire.
    var id: String { Base64.encode(derived("OXRW1 act id", 16), as: .url) }

    /// Proves the secret.
    var macKey: Secret { derived("OXRW1 act mac", 32).withUnsafeBytes { Secret($0) } }

    /// Seals how a PIN is checked, for this manager and this device key alone.
    func sealed(
        _ pin: PINParameters, verifier: Secret, for issuer: String, nonce: Secret
    ) throws(PushError) -> String {
        let setup: JSON = [
            "salt": .string(Base64.encode(pin.salt, as: .url)),
            "iterations": .number(.init(Int64(pin.iterations))),
            "verifier": .string(verifier.withBytes { Base64.encode(Data($0), as: .url) }),
        ]
        do {
            let box = try AES.GCM.seal(
                setup.utf8, using: derived("OXRW1 act seal", 32),
                nonce: nonce.withBytes { bytes in try AES.GCM.Nonce(data: bytes) },
                authenticating: Data("\(idm)\n\(issuer)".utf8))
            guard let combined = box.combined else {
                throw PushError(.invalidArgument, "The PIN couldn't be sealed.")
            }
            return Base64.encode(combined, as: .url)
        } catch {
            throw PushError(.invalidArgument, "The PIN couldn't be sealed.", underlying: error)
        }
    }

    private func derived(_ purpose: String, _ count: Int) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, salt: Data(idm.utf8), info: Data(purpose.utf8),
            outputByteCount: count)
    }
}

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

import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an invitation's secret stands for until it has been used, and what is derived from it.
struct ActivationSecret {
    let user: String
    let expiry: Int64
    /// Claim `act` of the request.
    let id: String
    /// What it became: the device's key and the activation.
    var use: (key: String, activation: String)?
    private let macKey: SymmetricKey
    private let sealingKey: SymmetricKey
    private let idm: String

    init(_ secret: Secret, user: String, idm: String, expiry: Int64) {
        func derived(_ purpose: String, _ count: Int) -> SymmetricKey {
            secret.withBytes {
                HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: $0), salt: Data(idm.utf8),
                    info: Data("OXRW1 act \(purpose)".utf8), outputByteCount: count)
            }
        }
        self.user = user
        self.expiry = expiry
        self.idm = idm
        id = derived("id", 16).withUnsafeBytes { Base64.encode($0, as: .url) }
        macKey = derived("mac", 32)
        sealingKey = derived("seal", 32)
    }

    /// Whether a request of a key, by its number and body, was made with the secret.
    func isRight(_ mac: String, issuer: String, jti: String, bodyHash: String) -> Bool {
        let message = "OXRW1-ACT\n\(idm)\n\(issuer)\n\(jti)\n\(bodyHash)"
        guard let code = try? Base64.data(from: mac, as: .url) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: Data(message.utf8), using: macKey)
    }

    /// The stretched PIN that a device sealed.
    func pinKey(
        in sealed: String, issuer: String, minimumIterations: Int
    ) throws(Refusal) -> SymmetricKey {
        let refusal = Refusal.malformed("pin_setup can't be opened")
        guard let bytes = try? Base64.data(from: sealed, as: .url), bytes.count > 28,
            let box = try? AES.GCM.SealedBox(combined: bytes),
            let plain = try? AES.GCM.open(
                box, using: sealingKey, authenticating: Data("\(idm)\n\(issuer)".utf8)),
            let members = StrictJSON.object(plain)
        else { throw refusal }
        guard let saltText = members["salt"]?.string, let verifier = members["verifier"]?.string,
            let iterations = members["iterations"]?.integer, iterations >= minimumIterations,
            let salt = try? Base64.data(from: saltText, as: .url), salt.count == 16,
            let key = try? Base64.secret(from: verifier, as: .url), key.count == 32
        else { throw .malformed("pin_setup lacks a salt, enough iterations, or a verifier") }
        return key.withBytes { SymmetricKey(data: $0) }
    }
}

import Crypto
import PushCore

/// The keys of one activation, which both sides derive from their agreement.
struct ActivationKeys: Sendable {
    /// The factor that the device has by itself.
    let possession: Secret

    /// The factor that the user's PIN unlocks.
    let knowledge: Secret

    /// The factor that the user's biometrics unlock.
    let biometry: Secret

    /// What protects the exchange with the server about this activation.
    let transport: Secret

    /// What locks the device's private key; the server lends it, the device doesn't keep it.
    let vault: Secret

    /// Agrees on keys.
    ///
    /// - Throws: `PushError` with the code `malformed` if the agreement comes to nothing.
    init(
        devicePrivateKey: P256.KeyAgreement.PrivateKey, serverPublicKey: CurvePoint
    ) throws(PushError) {
        try self.init(
            masterSecret: Self.masterSecret(
                devicePrivateKey: devicePrivateKey, serverPublicKey: serverPublicKey))
    }

    /// Derives the keys.
    ///
    /// - Parameter masterSecret: 16 bytes.
    /// - Throws: `PushError` with the code `invalidArgument` if it has another size.
    init(masterSecret: Secret) throws(PushError) {
        possession = try KeyDerivation.key(masterSecret, index: 1)
        knowledge = try KeyDerivation.key(masterSecret, index: 2)
        biometry = try KeyDerivation.key(masterSecret, index: 3)
        transport = try KeyDerivation.key(masterSecret, index: 1000)
        vault = try KeyDerivation.key(masterSecret, index: 2000)
    }

    /// What both sides agree on: 16 bytes.
    ///
    /// - Throws: `PushError` with the code `malformed` if the agreement comes to nothing.
    static func masterSecret(
        devicePrivateKey: P256.KeyAgreement.PrivateKey, serverPublicKey: CurvePoint
    ) throws(PushError) -> Secret {
        do {
            let agreed = try devicePrivateKey.sharedSecretFromKeyAgreement(
                with: serverPublicKey.agreementKey)
            return agreed.withUnsafeBytes { Secret(copying: $0) }.folded()
        } catch {
            throw PushError(.malformed, "The keys don't agree on a secret.", underlying: error)
        }
    }
}

/// What the user and the back office compare before an activation is committed.
enum Fingerprint {
    /// The fingerprint of both public keys and the activation, of protocol version 3: 8 digits.
    ///
    /// The coordinates go into it without leading zero bytes, unlike anywhere else.
    ///
    /// - Parameters:
    ///   - device: The device's public key.
    ///   - activationID: The activation's identifier, in the server's exact case.
    ///   - server: The server's public key for this activation.
    /// - Returns: The 8 digits.
    static func digits(device: CurvePoint, activationID: String, server: CurvePoint) -> String {
        var hash = SHA256()
        hash.update(data: device.minimalX)
        hash.update(data: Array(activationID.utf8))
        hash.update(data: server.minimalX)
        return hash.finalize().withUnsafeBytes { digest in
            String(unsafeUninitializedCapacity: 8) { output in
                DecimalCode.write(
                    digest,
                    to: UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(output)[..<8]))
                return 8
            }
        }
    }
}

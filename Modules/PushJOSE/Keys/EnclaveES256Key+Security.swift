import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Security)
import Security

/// The device's Secure Enclave, by CryptoKit. It is type-checked for Apple's systems, and runs there alone.
extension EnclaveES256Key {
    static var system: (any Enclave)? { SecureEnclave.isAvailable ? SystemEnclave() : nil }
}

private struct SystemEnclave: Enclave {
    func makeKey() throws -> any EnclaveKey {
        // A push that comes while the device is locked may have to be answered with a proof.
        guard
            let access = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, nil)
        else { throw PushError(.storage, "The system has no access control for it.") }
        return SystemKey(key: try SecureEnclave.P256.Signing.PrivateKey(accessControl: access))
    }

    func key(_ blob: Data) throws -> any EnclaveKey {
        SystemKey(key: try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: blob))
    }
}

private struct SystemKey: EnclaveKey {
    let key: SecureEnclave.P256.Signing.PrivateKey

    var dataRepresentation: Data { key.dataRepresentation }
    var publicKey: P256.Signing.PublicKey { key.publicKey }

    func signature(for message: Data) throws -> P256.Signing.ECDSASignature {
        try key.signature(for: message)
    }
}
#else
extension EnclaveES256Key {
    static var system: (any Enclave)? { nil }
}
#endif

import Crypto
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

#if canImport(CryptoKit)
import CryptoKit
import Security
#endif

/// A private key for ECDSA with P-256 and SHA-256 (RFC 7518 section 3.4) that was made in this device's
/// Secure Enclave, and never leaves it.
///
/// It signs from the first unlocking after a start on, and asks nobody. Where the user is to be asked,
/// seal ``blob`` behind a `KeyGuard`.
public struct EnclaveES256Key: JWSSigningKey {
    /// What to keep: by it the same enclave uses the key again, and no other can. It isn't there any
    /// more once the device was erased.
    public let blob: Secret

    /// The other half.
    public let publicKey: ES256PublicKey

    private let key: any EnclaveKey

    /// Makes a key.
    ///
    /// - Throws: `PushError` with the code `unsupported` if the system has no Secure Enclave, `storage`
    ///   if it makes none.
    public init() throws(PushError) {
        try self.init(in: Self.system)
    }

    /// Reads a key from its ``blob``.
    ///
    /// - Throws: `PushError` with the code `unsupported` if the system has no Secure Enclave,
    ///   `malformed` if it is no key of this one.
    public init(_ blob: Secret) throws(PushError) {
        try self.init(blob, in: Self.system)
    }

    init(in enclave: (any Enclave)?) throws(PushError) {
        guard let enclave else { throw Self.noEnclave }
        do {
            let key = try enclave.makeKey()
            self.init(key, Secret(key.dataRepresentation))
        } catch {
            throw PushError(.storage, "The Secure Enclave made no key.", underlying: error)
        }
    }

    init(_ blob: Secret, in enclave: (any Enclave)?) throws(PushError) {
        guard let enclave else { throw Self.noEnclave }
        do {
            self.init(try enclave.key(blob.withBytes { Data($0) }), blob)
        } catch {
            throw PushError(
                .malformed, "It is no key of this device's Secure Enclave.", underlying: error)
        }
    }

    private init(_ key: any EnclaveKey, _ blob: Secret) {
        self.key = key
        self.blob = blob
        publicKey = ES256PublicKey(key.publicKey)
    }

    /// `ES256`.
    public var algorithm: String { "ES256" }

    /// Signs; `r` and `s`, 32 bytes each. It takes some milliseconds.
    ///
    /// - Throws: `PushError` with the code `storage` if the enclave can't sign, such as before the first
    ///   unlocking.
    public func signature(over message: Data) throws(PushError) -> Data {
        do {
            return try key.signature(for: message).rawRepresentation
        } catch {
            throw PushError(.storage, "The Secure Enclave can't sign now.", underlying: error)
        }
    }

    private static let noEnclave = PushError(
        .unsupported, "This system has no Secure Enclave that this SDK uses.")
}

// MARK: The enclave's calls

/// A Secure Enclave, in terms that are tested everywhere.
protocol Enclave: Sendable {
    func makeKey() throws -> any EnclaveKey
    func key(_ blob: Data) throws -> any EnclaveKey
}

/// A key in it, with the names of CryptoKit.
protocol EnclaveKey: Sendable {
    var dataRepresentation: Data { get }
    var publicKey: P256.Signing.PublicKey { get }
    func signature(for message: Data) throws -> P256.Signing.ECDSASignature
}

#if canImport(CryptoKit)
extension EnclaveES256Key {
    private static var system: (any Enclave)? {
        SecureEnclave.isAvailable ? SystemEnclave() : nil
    }
}

private struct SystemEnclave: Enclave {
    func makeKey() throws -> any EnclaveKey {
        // A push that comes while the device is locked may have to be answered with a proof.
        guard
            let access = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, nil)
        else { throw PushError(.storage, "The system has no access control for it.") }
        return SystemKey(
            key: try SecureEnclave.P256.Signing.PrivateKey(accessControl: access))
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
    private static var system: (any Enclave)? { nil }
}
#endif

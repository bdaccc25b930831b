import Crypto
public import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A vault while it is unlocked: its key, and the device's private key, proved to belong together.
///
/// It can't be copied, and its keys are zeroed when it goes.
public struct PowerAuthOpenVault: ~Copyable {
    private let vaultKey: Secret
    private let deviceKey: Secret

    /// The keys that the device and the server agree on.
    let keys: ActivationKeys

    private static let scalarCount = 32
    private static let keyCount = 16
    private static let lockedKeyCount = 32

    /// Reads the vault's key in a reply, once that is decrypted.
    ///
    /// - Parameters:
    ///   - reply: The plain reply.
    ///   - transport: The activation's transport key, under which the key is lent.
    /// - Returns: The key.
    /// - Throws: `PushError` with the code `malformed` if there is none, `untrusted` if it isn't
    ///   locked for this activation.
    static func key(lentBy reply: Secret, under transport: Secret) throws(PushError) -> Secret {
        let members = try reply.withBytes { (text) throws(PushError) in try JSON(parsing: text) }
        guard let text = members["encryptedVaultEncryptionKey"]?.string else {
            throw PushError(.malformed, "The reply brings no key of the vault.")
        }
        let key = try BlockCipher.decrypt(
            try StrictBase64.decode(text, count: lockedKeyCount), key: transport,
            iv: BlockCipher.zeroIV, padding: true)
        guard key.count == keyCount else {
            // Another key's text ends in something like padding once in 256 times.
            throw PushError(.untrusted, "The key of the vault isn't locked for this activation.")
        }
        return key
    }

    /// Opens the device's key.
    ///
    /// - Parameters:
    ///   - vaultKey: What the server lent.
    ///   - locked: The device's key, as it's on record.
    ///   - serverKey: The server's key of the activation.
    /// - Throws: `PushError` with the code `untrusted` if that isn't the vault's key of this device.
    init(
        vaultKey: Secret, locked: Secret, serverKey: CurvePoint
    ) throws(PushError) {
        (deviceKey, keys) = try Self.opened(locked, vaultKey, serverKey)
        self.vaultKey = vaultKey
    }

    private static func opened(
        _ locked: Secret, _ vaultKey: Secret, _ serverKey: CurvePoint
    ) throws(PushError) -> (Secret, ActivationKeys) {
        guard
            let scalar = try? BlockCipher.decrypt(
                locked.withBytes { Array($0) }, key: vaultKey, iv: BlockCipher.zeroIV,
                padding: true),
            let bytes = padded(scalar),
            let key = bytes.withBytes({
                try? P256.KeyAgreement.PrivateKey(rawRepresentation: $0)
            }),
            let keys = try? ActivationKeys(devicePrivateKey: key, serverPublicKey: serverKey),
            keys.vault.isEqualInConstantTime(to: vaultKey)
        else {
            throw PushError(
                .untrusted, "The key that the server lent doesn't open this device's vault.")
        }
        return (bytes, keys)
    }

    /// Where a number was written without its leading zeros, as the vendor's apps do, or with one
    /// more.
    private static func padded(_ scalar: Secret) -> Secret? {
        let zeros = scalar.withBytes { $0.prefix { $0 == 0 }.count }
        let digits = scalar.count - zeros
        guard 1...scalarCount ~= digits else { return nil }
        return Secret(count: scalarCount) { output in
            scalar.withBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: output[(scalarCount - digits)...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[zeros...]))
            }
        }
    }

    /// A key for the app's own data, 16 bytes.
    ///
    /// - Throws: `PushError` with the code `invalidArgument`, which no name gives cause for.
    public borrowing func encryptionKey(
        _ name: PowerAuthEncryptionKeyName
    ) throws(PushError) -> Secret {
        try KeyDerivation.key(vaultKey, index: name.index)
    }

    /// Signs the app's data with the device's key.
    ///
    /// - Returns: The signature in DER: ECDSA with P-256 and SHA-256. It is another each time.
    /// - Throws: `PushError` with the code `invalidArgument` if the key can't sign.
    public borrowing func signature(over data: Data) throws(PushError) -> Data {
        do {
            return try ES256PrivateKey(deviceKey).key.signature(for: data).derRepresentation
        } catch {
            throw PushError(.invalidArgument, "The key can't sign.", underlying: error)
        }
    }

    /// Signs the app's claims with the device's key.
    ///
    /// - Returns: A JWT (RFC 7519) with the algorithm ES256.
    /// - Throws: `PushError` with the code `invalidArgument` if the key can't sign.
    public borrowing func jwt(of claims: JSON.Object) throws(PushError) -> String {
        try ES256PrivateKey(deviceKey).compactJWS(
            of: JSON.object(claims).data, header: ["alg": "ES256", "typ": "JWT"])
    }
}

/// Which of the vault's keys for the app's own data: an app gives each a name in its source, so that no
/// number serves two purposes.
public struct PowerAuthEncryptionKeyName: Hashable, Sendable {
    /// The number that the key is derived by.
    public let index: UInt64

    /// Names a key.
    public init(index: UInt64) { self.index = index }
}

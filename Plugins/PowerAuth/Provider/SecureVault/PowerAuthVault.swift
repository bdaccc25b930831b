public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What only the server's word opens: the device's private key, and keys for the app's own data
/// (vendor: powerauth-crypto, `docs/Key-derivation.md`).
///
/// The vault's key isn't on the device. The server lends it to a device that proves two factors, for
/// one closure; nothing of it is stored. Each unlocking takes the enrollment's turn and a signature.
public struct PowerAuthVault: Sendable {
    let turn: ActivationTurn

    /// Unlocks the vault, and lends what is in it.
    ///
    /// After a lost reply the server is asked for the activation's status, which brings the counters
    /// together: then it does no harm to unlock again. Nothing is repeated after a refusal.
    ///
    /// - Parameters:
    ///   - reason: Why, for the server's records.
    ///   - factors: The PIN, or biometry where the server's owner allows it: by default not.
    ///   - body: What is done with it, at once. Don't keep the vault.
    /// - Returns: What `body` returns.
    /// - Throws: `PushError`: `invalidArgument` for other factors, and nothing is sent; `notTaken` with
    ///   the attempts that are left if the proof is wrong, `blocked` after the last one;
    ///   `server(status: 400)` with ``PowerAuthErrorCode/secureVault`` as its `underlying` if the
    ///   server doesn't open it to these factors or for this reason, which costs no attempt;
    ///   `untrusted` if what it lends isn't this device's key, or the reply another request's; what
    ///   the exchange or `body` throws.
    public func unlock<Value: Sendable>(
        for reason: PowerAuthVaultReason, by factors: PowerAuthFactors,
        _ body: @Sendable (borrowing PowerAuthOpenVault) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try await turn { (channel, account) async throws(PushError) -> Value in
            let vault = try await channel.unlockedVault(of: account, for: reason, by: factors)
            return try body(vault)
        }
    }

    /// Signs the app's data with the device's key.
    ///
    /// - Returns: The signature in DER: ECDSA with P-256 and SHA-256.
    /// - Throws: `PushError` with the codes of ``unlock(for:by:_:)``.
    public func signature(
        over data: Data, by factors: PowerAuthFactors
    ) async throws(PushError) -> Data {
        try await unlock(for: .signWithDeviceKey, by: factors) {
            (vault) throws(PushError) -> Data in try vault.signature(over: data)
        }
    }

    /// Signs the app's claims with the device's key.
    ///
    /// - Returns: A JWT (RFC 7519) with the algorithm ES256.
    /// - Throws: `PushError` with the codes of ``unlock(for:by:_:)``.
    public func jwt(
        of claims: JSON.Object, by factors: PowerAuthFactors
    ) async throws(PushError) -> String {
        try await unlock(for: .signWithDeviceKey, by: factors) {
            (vault) throws(PushError) -> String in try vault.jwt(of: claims)
        }
    }

    /// Lends a key for the app's own data.
    ///
    /// - Parameters:
    ///   - name: Which.
    ///   - factors: As for ``unlock(for:by:_:)``.
    ///   - body: What is done with the key, 16 bytes. It is the same for the life of the activation,
    ///     and lost with it: it must never be the only key for data that matters.
    /// - Returns: What `body` returns.
    /// - Throws: `PushError` with the codes of ``unlock(for:by:_:)``.
    public func withEncryptionKey<Value: Sendable>(
        _ name: PowerAuthEncryptionKeyName, by factors: PowerAuthFactors,
        _ body: @Sendable (Secret) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try await unlock(for: .fetchEncryptionKey, by: factors) {
            (vault) throws(PushError) -> Value in try body(try vault.encryptionKey(name))
        }
    }
}

/// Why a vault is unlocked, for the server's records.
public struct PowerAuthVaultReason: Hashable, Sendable {
    /// The text, as it is sent.
    public let text: String

    /// `ADD_BIOMETRY`.
    public static let addBiometry = PowerAuthVaultReason(known: "ADD_BIOMETRY")
    /// `FETCH_ENCRYPTION_KEY`.
    public static let fetchEncryptionKey = PowerAuthVaultReason(known: "FETCH_ENCRYPTION_KEY")
    /// `SIGN_WITH_DEVICE_PRIVATE_KEY`.
    public static let signWithDeviceKey = PowerAuthVaultReason(
        known: "SIGN_WITH_DEVICE_PRIVATE_KEY")

    /// A reason of the app's own.
    ///
    /// - Parameter text: 3 to 255 ASCII letters, digits, `_`, `-` and `.`.
    /// - Throws: `PushError` with the code `invalidArgument` for any other.
    public init(_ text: String) throws(PushError) {
        guard 3...255 ~= text.utf8.count, text.utf8.allSatisfy(Self.isAllowed) else {
            throw PushError(
                .invalidArgument, "A reason has 3 to 255 letters, digits, and _ - or . in it.")
        }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}

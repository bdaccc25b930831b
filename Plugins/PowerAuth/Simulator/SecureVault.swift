import Crypto
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension PowerAuthSimulator {
    /// Answers `/pa/v3/vault/unlock`: encrypted, then signed.
    ///
    /// The envelope, the kind of signature and the reason are looked at first: what is wrong with
    /// them counts as no failed attempt, and moves no counter.
    func unlockVault(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        var types: Set<SignatureType> = [.possessionKnowledge]
        if configuration.unlocksVaultWithBiometry { types.insert(.possessionBiometry) }
        guard let header = SignatureHeader(incoming.header(.powerAuthSignature)) else {
            throw .authentication
        }
        guard activations[header.activation]?.state == .active else { throw .authentication }
        guard types.contains(header.type), let scope = scope(of: header),
            let opened = open(incoming.json, sharedInfo: "/pa/vault/unlock", in: scope),
            let reason = Self.reason(in: opened.plain)
        else { throw .vault }
        _ = try verified(incoming, "/pa/vault/unlock", types)
        guard let keys = activations[header.activation]?.keys,
            let locked = KeySchedule.cipher(
                keys.vault, key: keys.transport, iv: Data(count: 16), padding: true)
        else { throw .vault }
        vaultReasons.append(reason)
        let answer: JSON = ["encryptedVaultEncryptionKey": .string(locked.base64)]
        return .envelope(try seal(answer, to: opened, spoiledBy: incoming.fault))
    }

    /// Why the vault was unlocked, each time, oldest first.
    public var unlockReasons: [String] { vaultReasons }

    /// Checks a signature of a device's own key, as a bank has its PowerAuth server do.
    ///
    /// - Parameters:
    ///   - signature: ECDSA with P-256 and SHA-256, in DER.
    ///   - data: What is said to be signed.
    ///   - id: The activation.
    /// - Returns: Whether that device signed it.
    /// - Throws: `PushError` with the code `notFound` if the activation has no device.
    public func verifyDeviceSignature(
        _ signature: Data, over data: Data, of id: ActivationRecord.ID
    ) throws(PushError) -> Bool {
        guard let point = deviceKey(of: id),
            let key = try? P256.Signing.PublicKey(x963Representation: point)
        else { throw PushError(.notFound, "The activation has no device.") }
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else {
            return false
        }
        return key.isValidSignature(signature, for: data)
    }

    /// What is asked for; `nil` for what no server takes.
    private static func reason(in plain: Data) -> String? {
        guard let members = try? JSON(parsing: plain).object else { return nil }
        guard let given = members["reason"] else { return "NOT_SPECIFIED" }
        guard let text = given.string, (3...255).contains(text.utf8.count),
            text.utf8.allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "_-.".utf8.contains(byte)
                }
            })
        else { return nil }
        return text
    }
}

import Crypto
import PushCore

/// The keys of OOC/1. Quoted texts are ASCII, `00` stands between text and value.
enum KeySchedule {
    /// The registration handle: what a device names itself by before it has an identifier.
    static func handle(domain: String, user: String) -> [UInt8] {
        Array(hash(Array("OOC1 reg".utf8) + [0] + domain.utf8 + [0] + user.utf8).prefix(16))
    }

    /// The transcript before the first message.
    static func transcript(domain: String, user: String, serverKey: [UInt8]) -> [UInt8] {
        hash(
            Array("OOC1 transcript".utf8) + [0] + counted(domain) + counted(user) + serverKey)
    }

    /// The transcript after one more message.
    static func transcript(_ transcript: [UInt8], then message: [UInt8]) -> [UInt8] {
        hash(transcript + message)
    }

    /// A key of the handshake, by extract and expand.
    static func handshakeKey(
        from material: [UInt8], salt: [UInt8], label: String, header: [UInt8] = []
    ) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: material), salt: salt,
            info: Array("OOC1 \(label)".utf8) + header, outputByteCount: 32)
    }

    /// A key from another key, by expand alone.
    static func expanded(_ key: SymmetricKey, label: String, _ rest: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.expand(
            pseudoRandomKey: key, info: Array("OOC1 \(label)".utf8) + rest, outputByteCount: 32)
    }

    /// The keys of both directions, from the master key of an activation.
    static func deviceKeys(
        master: SymmetricKey, transcript: [UInt8], device: [UInt8]
    ) -> (fromDevice: SymmetricKey, toDevice: SymmetricKey) {
        let root = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: master, salt: transcript,
            info: Array("OOC1 root".utf8) + device, outputByteCount: 32)
        let epoch = CommandType.instanceConfirm.epoch
        return (
            expanded(root, label: "d2s", device + [epoch]),
            expanded(root, label: "s2d", device + [epoch])
        )
    }

    /// The key of a device's command that carries a proof of the password.
    static func messageKey(
        _ key: SymmetricKey, shared: [UInt8], header: [UInt8]
    ) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: shared), salt: key.bytes,
            info: Array("OOC1 msg".utf8) + header, outputByteCount: 32)
    }

    /// The key of any other message between device and server.
    static func messageKey(_ key: SymmetricKey, header: [UInt8]) -> SymmetricKey {
        expanded(key, label: "msg", header)
    }

    static func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    private static func counted(_ text: String) -> [UInt8] {
        UInt16(truncatingIfNeeded: text.utf8.count).bytes + text.utf8
    }
}

extension SymmetricKey {
    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Whether a code is the key's HMAC of a message, compared in constant time.
    func verifies(_ code: [UInt8], of message: [UInt8]) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: self)
    }
}

extension P256.KeyAgreement.PrivateKey {
    /// The x coordinate of the shared point, 32 bytes; `nil` never, for points on the curve.
    func shared(with key: P256.KeyAgreement.PublicKey) -> [UInt8]? {
        (try? sharedSecretFromKeyAgreement(with: key))?.withUnsafeBytes { Array($0) }
    }

    /// The public half as an uncompressed point, 65 bytes.
    var point: [UInt8] { Array(publicKey.x963Representation) }

    /// A key from a source of random bytes; from the system's if that yields none.
    init(drawnFrom random: any RandomSource) {
        for _ in 0..<16 {
            let scalar = random.bytes(32).withBytes { Array($0) }
            if let key = try? Self(rawRepresentation: scalar) {
                self = key
                return
            }
        }
        self.init()
    }
}

extension P256.Signing.PublicKey {
    /// Whether a signature, r and s of 32 bytes each, is the key's over a message.
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
            return false
        }
        return isValidSignature(signature, for: message)
    }
}

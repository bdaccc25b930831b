import Crypto
import PushCore
import PushOneSpan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Secret {
    /// Several secrets, one behind the other.
    init(joining parts: [Secret]) {
        self.init(count: parts.reduce(0) { $0 + $1.count }) { buffer in
            var position = 0
            for part in parts {
                part.withBytes { bytes in
                    UnsafeMutableRawBufferPointer(rebasing: buffer[position...])
                        .copyMemory(from: bytes)
                }
                position += part.count
            }
        }
    }

    /// Copies what a primitive made.
    init(copying bytes: some ContiguousBytes) {
        self = bytes.withUnsafeBytes { Secret($0) }
    }

    var symmetricKey: SymmetricKey { withBytes { SymmetricKey(data: $0) } }

    /// HMAC-SHA-256 under this key.
    func code(for message: some DataProtocol) -> Secret {
        Secret(copying: HMAC<SHA256>.authenticationCode(for: message, using: symmetricKey))
    }

    /// The extract step of HKDF-SHA-256 (RFC 5869, section 2.2): 32 bytes.
    func extracted(salt: Secret) -> Secret {
        withBytes { salt.code(for: $0) }
    }

    /// The expand step of HKDF-SHA-256 (RFC 5869, section 2.3) for 32 bytes, which are one block.
    func expanded(_ info: [UInt8]) -> Secret {
        code(for: info + [1])
    }

    /// Both steps.
    func derived(salt: Secret, _ info: [UInt8]) -> Secret {
        extracted(salt: salt).expanded(info)
    }

    /// The exclusive or of two secrets of one length.
    func masked(with other: Secret) -> Secret {
        withBytes { mine in
            other.withBytes { theirs in
                Secret(count: min(mine.count, theirs.count)) { buffer in
                    for index in buffer.indices { buffer[index] = mine[index] ^ theirs[index] }
                }
            }
        }
    }
}

extension P256.KeyAgreement.PrivateKey {
    /// The x coordinate of the shared point, 32 bytes.
    func agreed(with key: P256.KeyAgreement.PublicKey) throws(OrchestrationError) -> Secret {
        guard let shared = try? sharedSecretFromKeyAgreement(with: key) else {
            throw CommandEnvelope.malformed
        }
        return Secret(copying: shared)
    }
}

/// SHA-256 of parts, one behind the other.
func sha256(_ parts: [UInt8]...) -> [UInt8] {
    var hash = SHA256()
    for part in parts { hash.update(data: part) }
    return Array(hash.finalize())
}

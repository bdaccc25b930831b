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

    /// A copy of bytes that aren't a secret.
    var copiedBytes: [UInt8] { withBytes { Array($0) } }

    var symmetricKey: SymmetricKey { withBytes { SymmetricKey(data: $0) } }

    /// HMAC-SHA-256 under this key.
    func code(for message: some DataProtocol) -> Secret {
        Secret(copying: HMAC<SHA256>.authenticationCode(for: message, using: symmetricKey))
    }

    /// The expand step of HKDF-SHA-256 (RFC 5869, section 2.3), 32 bytes.
    func expanded(_ info: [UInt8]) -> Secret {
        withBytes { key in
            Secret(
                copying: HKDF<SHA256>.expand(
                    pseudoRandomKey: key, info: info, outputByteCount: 32))
        }
    }

    /// HKDF-SHA-256 (RFC 5869), both steps, 32 bytes.
    func derived(salt: Secret, _ info: [UInt8]) -> Secret {
        salt.withBytes { salt in
            Secret(
                copying: HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: symmetricKey, salt: salt, info: info, outputByteCount: 32))
        }
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

extension P256.Signing.PrivateKey {
    /// ECDSA with SHA-256: r and s, 64 bytes.
    func signed(_ message: [UInt8]) throws(OrchestrationError) -> [UInt8] {
        guard let signature = try? signature(for: message) else {
            throw OrchestrationError(.invalidArgument, "The device's key doesn't sign.")
        }
        return Array(signature.rawRepresentation)
    }
}

/// SHA-256 of parts, one behind the other.
func sha256(_ parts: [UInt8]...) -> [UInt8] {
    var hash = SHA256()
    for part in parts { hash.update(data: part) }
    return Array(hash.finalize())
}

extension FixedWidthInteger {
    /// Its bytes, most significant first.
    var bigEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }

    /// Reads up to as many bytes as fit, most significant first.
    init(bigEndian bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}

extension [UInt8] {
    /// Lower-case hexadecimal digits: how devices and flows are named.
    var hexName: String { Hexadecimal.text(self) }
}

extension Date {
    init(milliseconds: UInt64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}

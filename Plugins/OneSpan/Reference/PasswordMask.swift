import Crypto
import PushCore
import PushOneSpan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An instance key, masked by a password. Nothing here tells whether a password is right: any one
/// unmasks to some key, and only the server knows which.
struct PasswordMask: Sendable {
    static let saltLength = 16

    /// Keeps a damaged record from stretching keys for hours.
    static let iterationLimit = 10_000_000

    let salt: [UInt8]
    let iterations: Int
    let masked: Secret

    /// Masks a key with a password.
    @concurrent
    init(_ key: Secret, password: Secret, salt: Secret, iterations: Int) async {
        self.salt = salt.withBytes { Array($0) }
        self.iterations = iterations
        masked = key.masked(
            with: Self.stretched(password, salt: self.salt, iterations: iterations))
    }

    /// Reads a stored mask: salt, iterations, masked key.
    init(reading stored: Secret) throws(OrchestrationError) {
        (salt, iterations, masked) = try stored.withBytes { (bytes) throws(OrchestrationError) in
            let iterations = Int(UInt32(bigEndian: bytes.dropFirst(16).prefix(4)))
            guard bytes.count == 52, (1...Self.iterationLimit).contains(iterations) else {
                throw DeviceRecord.damaged
            }
            return (Array(bytes.prefix(16)), iterations, Secret(bytes.dropFirst(20)))
        }
    }

    var stored: Secret {
        Secret(joining: [
            Secret(salt), Secret(UInt32(truncatingIfNeeded: iterations).bigEndianBytes), masked,
        ])
    }

    /// The key that a password unmasks.
    @concurrent
    func key(password: Secret) async -> Secret {
        masked.masked(with: Self.stretched(password, salt: salt, iterations: iterations))
    }

    /// PBKDF2-HMAC-SHA-256 (RFC 8018, section 5.2) for 32 bytes, which are one block.
    static func stretched(_ password: Secret, salt: [UInt8], iterations: Int) -> Secret {
        let keyed = HMAC<SHA256>(key: password.symmetricKey)
        return Secret(count: 32) { result in
            // A secret, so that the rounds are zeroed too.
            _ = Secret(count: 32) { round in
                var first = keyed
                first.update(data: salt + [0, 0, 0, 1])
                first.finalize().withUnsafeBytes { round.copyMemory(from: $0) }
                result.copyMemory(from: UnsafeRawBufferPointer(round))
                for _ in 1..<iterations {
                    var next = keyed
                    next.update(data: UnsafeRawBufferPointer(round))
                    next.finalize().withUnsafeBytes { round.copyMemory(from: $0) }
                    for index in 0..<32 { result[index] ^= round[index] }
                }
            }
        }
    }
}

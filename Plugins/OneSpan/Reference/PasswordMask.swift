import CryptoExtras
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
    init(
        _ key: Secret, password: Secret, salt: Secret, iterations: Int
    ) async throws(OrchestrationError) {
        self.salt = salt.withBytes { Array($0) }
        self.iterations = iterations
        masked = key.masked(
            with: try Self.stretched(password, salt: self.salt, iterations: iterations))
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
    func key(password: Secret) async throws(OrchestrationError) -> Secret {
        masked.masked(with: try Self.stretched(password, salt: salt, iterations: iterations))
    }

    /// PBKDF2-HMAC-SHA-256 (RFC 8018, section 5.2), 32 bytes.
    ///
    /// - Throws: `OrchestrationError` with the code `invalidArgument` if the library can't.
    static func stretched(
        _ password: Secret, salt: [UInt8], iterations: Int
    ) throws(OrchestrationError) -> Secret {
        // "Unchecked" only means without the library's own floor, which is for stored password
        // hashes. Here nothing that is stored tests a guess.
        let key = password.withBytes {
            try? KDF.Insecure.PBKDF2.deriveKey(
                from: $0, salt: salt, using: .sha256, outputByteCount: 32,
                unsafeUncheckedRounds: iterations)
        }
        guard let key else {
            throw OrchestrationError(.invalidArgument, "The password can't be stretched.")
        }
        return Secret(copying: key)
    }
}

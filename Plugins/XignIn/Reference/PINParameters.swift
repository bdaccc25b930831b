import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How an activation's PIN is stretched: PBKDF2 with HMAC-SHA256 (RFC 8018 section 5.2), one block.
struct PINParameters: Sendable {
    let salt: Data
    let iterations: Int

    static func make(iterations: Int, _ random: any RandomSource) -> PINParameters {
        PINParameters(
            salt: random.bytes(16).withBytes { Data($0) },
            iterations: min(max(1, iterations), Int(Int32.max)))
    }

    /// Stretches a PIN to 32 bytes.
    ///
    /// - Parameter pin: The PIN in UTF-8, as typed.
    /// - Returns: The 32 bytes.
    @concurrent
    func key(for pin: Secret) async -> Secret {
        let keyed = pin.withBytes { HMAC<SHA256>(key: SymmetricKey(data: $0)) }
        var first = keyed
        first.update(data: salt)
        first.update(data: [0, 0, 0, 1] as [UInt8])
        var code = first.finalize()
        var sum = Self.bits(of: code)
        for _ in 1..<max(1, iterations) {
            var next = keyed
            code.withUnsafeBytes { next.update(data: $0) }
            code = next.finalize()
            sum ^= Self.bits(of: code)
        }
        return Secret(count: 32) { $0.storeBytes(of: sum, as: SIMD4<UInt64>.self) }
    }

    private static func bits(of code: HMAC<SHA256>.MAC) -> SIMD4<UInt64> {
        code.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }
}

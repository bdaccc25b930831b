import Crypto
import CryptoExtras
import Foundation
import PushCore
import PushTesting

@testable import PushPowerAuth

/// A server's status, sealed with the library alone.
struct SealedStatus {
    let transportKey: Secret
    let challenge: Data
    let nonce: Data

    /// ACTIVE, version 3, counter byte 0, 0 of 5 failed, 20 ahead.
    private(set) var plain: [UInt8]

    init(seed: UInt64 = 21) {
        let random = SeededRandom(seed: seed)
        transportKey = random.bytes(16)
        challenge = Data(random.bytes(16).copy)
        nonce = Data(random.bytes(16).copy)
        plain = [0xDE, 0xC0, 0xDE, 0xD1, 3, 3, 3] + random.bytes(5).copy + [0, 0, 5, 20]
        plain += random.bytes(16).copy
    }

    /// Tells of a counter.
    func telling(of counter: SignatureCounter, byte: UInt8, lookAhead: UInt8 = 20) throws
        -> ActivationStatusBlob
    {
        let hash = Self.folded(Self.hmac(try derived(4000), counter.data.copy))
        return try opened {
            $0[12] = byte
            $0[15] = lookAhead
            $0.replaceSubrange(16..<32, with: hash)
        }
    }

    /// The status with some bytes changed, as the device reads it.
    func opened(_ change: (inout [UInt8]) -> Void) throws -> ActivationStatusBlob {
        var plain = plain
        change(&plain)
        return try open(sealed(plain))
    }

    func open(_ sealed: Data) throws -> ActivationStatusBlob {
        try ActivationStatusBlob(
            opening: sealed, challenge: challenge, nonce: nonce, transportKey: transportKey)
    }

    func sealed(_ plain: [UInt8]) throws -> Data {
        let iv = Self.folded(Self.hmac(try derived(3000), Array(challenge + nonce)))
        return try AES._CBC.encrypt(
            plain, using: SymmetricKey(data: transportKey.copy), iv: AES._CBC.IV(ivBytes: iv),
            noPadding: true)
    }

    private func derived(_ index: UInt16) throws -> [UInt8] {
        let block = [UInt8](repeating: 0, count: 14) + [UInt8(index >> 8), UInt8(index & 255)]
        return Array(
            try AES._CBC.encrypt(
                block, using: SymmetricKey(data: transportKey.copy),
                iv: AES._CBC.IV(ivBytes: [UInt8](repeating: 0, count: 16)), noPadding: true))
    }

    private static func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }

    private static func folded(_ bytes: [UInt8]) -> [UInt8] {
        (0..<16).map { bytes[$0] ^ bytes[$0 + 16] }
    }
}

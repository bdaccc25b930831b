import Crypto
import CryptoExtras
import Foundation
import Harness
import PushBenchmarks
import PushCore
import PushTesting

/// The status of an activation, as the server seals it.
func status(_ example: PowerAuthExample) throws -> Comparison {
    let (transportKey, counter) = (example.bytes(16), example.bytes(16))
    let (challenge, nonce) = (example.bytes(16), example.bytes(16))
    let vector = RawCode.folded(
        RawCode.code(try derived(transportKey, 3000), challenge + nonce))
    let iv = try AES._CBC.IV(ivBytes: vector)
    let key = SymmetricKey(data: transportKey)
    let hash = RawCode.folded(RawCode.code(try derived(transportKey, 4000), counter))
    let plain =
        Data([0xDE, 0xC0, 0xDE, 0xD1, 3, 3, 3]) + Data(count: 5) + Data([0, 0, 5, 20]) + hash
    let sealed = try AES._CBC.encrypt(plain, using: key, iv: iv, noPadding: true)
    let reader = try Inner.PowerAuthStatusReader(
        transportKey: Secret(transportKey), counter: Secret(counter))
    guard try reader.compare(sealed, challenge: challenge, nonce: nonce) else {
        throw PushError(.untrusted, "The counters are the same.")
    }

    var comparison = Comparison("PowerAuth: status blob, \(sealed.count) bytes")
    comparison.add("its AES and HMAC by swift-crypto") {
        let derived = try derived(transportKey, 3000)
        keep(RawCode.code(derived, challenge + nonce))
        keep(try AES._CBC.decrypt(sealed, using: key, iv: iv, noPadding: true))
    }
    comparison.add("open") { keep(try reader.open(sealed, challenge: challenge, nonce: nonce)) }
    comparison.add("open, compare the counters") {
        keep(try reader.compare(sealed, challenge: challenge, nonce: nonce))
    }
    return comparison
}

/// The header of a request that reads.
func token(_ example: PowerAuthExample) throws -> Comparison {
    let secret = example.bytes(16)
    let token = try Inner.PowerAuthToken(
        id: "d6561669-34d6-4fee-8913-89477687a5cb", secret: Secret(secret))
    let key = SymmetricKey(data: secret)
    let covered = example.bytes(34)
    let (random, time) = (SystemRandom(), example.time)

    var comparison = Comparison("PowerAuth: token header")
    comparison.add("its HMAC by swift-crypto") {
        keep(HMAC<SHA256>.authenticationCode(for: covered, using: key))
    }
    comparison.add("header") { keep(token.header(at: time, random: random)) }
    return comparison
}

/// The key of a number: one block of AES.
private func derived(_ key: Data, _ number: UInt16) throws -> Data {
    let block = Data(count: 14) + Data([UInt8(number >> 8), UInt8(number & 255)])
    return try AES._CBC.encrypt(
        block, using: SymmetricKey(data: key), iv: AES._CBC.IV(ivBytes: Data(count: 16)),
        noPadding: true)
}

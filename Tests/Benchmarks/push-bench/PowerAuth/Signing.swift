import Crypto
import Foundation
import Harness
import PushBenchmarks
import PushCore
import PushTesting

/// One signature of a request, with the factors' keys in memory.
func signing(_ example: PowerAuthExample, factors: Int) throws -> Comparison {
    let keys = (0..<factors).map { _ in example.random.bytes(16) }
    let signer = try Inner.PowerAuthSigner(
        example.application, keys: keys, counter: example.random.bytes(16))
    let (body, nonce) = (example.body, Array(example.bytes(16)))
    let data = signer.normalized(body, nonce: nonce)
    let messages = covered(factors, data.count)
    let key = SymmetricKey(data: example.bytes(16))
    let counter = example.bytes(16)
    let random = SystemRandom()

    var comparison = Comparison(
        "PowerAuth: sign \(body.count) bytes, \(factors)FA (\(data.count) bytes normalized)")
    comparison.add("the SHA-256 runs alone") {
        for message in messages {
            keep(SHA256.hash(data: message.inner))
            keep(SHA256.hash(data: message.outer))
        }
        keep(SHA256.hash(data: counter))
    }
    comparison.add("the same by swift-crypto's HMAC") {
        for message in messages {
            keep(HMAC<SHA256>.authenticationCode(for: message.plain, using: key))
        }
        keep(SHA256.hash(data: counter))
    }
    comparison.add("normalized data") { keep(signer.normalized(body, nonce: nonce)) }
    comparison.add("signature over it") { keep(try signer.signature(over: data)) }
    comparison.add("the counter's next value") { keep(signer.next()) }
    comparison.add("header: nonce to next counter") {
        keep(try signer.header(for: body, random: random))
    }
    return comparison
}

/// What the HMACs of a signature cover: each key's the counter, with two factors one a code, and each
/// factor's the data; and the two runs of SHA-256 that each is, after a block of the key.
private func covered(_ factors: Int, _ count: Int) -> [(plain: Data, inner: Data, outer: Data)] {
    let sizes =
        Array(repeating: 16, count: factors) + Array(repeating: 32, count: factors - 1)
        + Array(repeating: count, count: factors)
    return sizes.map { (Data(count: $0), Data(count: 64 + $0), Data(count: 96)) }
}

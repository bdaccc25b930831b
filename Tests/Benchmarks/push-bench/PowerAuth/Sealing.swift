import Crypto
import Foundation
import Harness
import PushBenchmarks
import PushCore
import PushTesting

/// One encrypted request of 200 bytes in application scope, by protocol 3.3, and its response.
func sealing(_ example: PowerAuthExample) async throws -> Comparison {
    let server = RawServer(example)
    let plain = Secret(example.body)
    let (random, time) = (SystemRandom(), example.time)
    let sealer = try server.sealer(random)
    // The same ephemeral key each time: so one response is right for all requests.
    let repeating = try server.sealer(RepeatingRandom())
    let (request, opener) = try repeating.seal(plain, at: time)
    let response = try server.response(to: request)
    guard try opener.open(response).count == example.body.count else {
        throw PushError(.untrusted, "Both sides read the same.")
    }

    var comparison = Comparison("PowerAuth: ECIES, \(plain.count) bytes")
    let key = P256.KeyAgreement.PrivateKey()
    let publicKey = server.privateKey.publicKey
    comparison.add("one P-256 agreement alone") {
        keep(try key.sharedSecretFromKeyAgreement(with: publicKey))
    }
    comparison.add("ephemeral key and agreement") {
        let key = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: random.bytes(32).withBytes { Data($0) })
        keep(key.publicKey.compressedRepresentation)
        keep(try key.sharedSecretFromKeyAgreement(with: publicKey))
    }
    comparison.add("the same with PrivateKey()") {
        let key = P256.KeyAgreement.PrivateKey()
        keep(key.publicKey.compressedRepresentation)
        keep(try key.sharedSecretFromKeyAgreement(with: publicKey))
    }
    comparison.add("encrypt") { keep(try sealer.seal(plain, at: time)) }
    comparison.add("open the response") { keep(try opener.open(response)) }
    comparison.add("encrypt, open the response") {
        keep(try repeating.seal(plain, at: time).opener.open(response))
    }
    comparison.add("full round trip, server's side too") {
        let (request, opener) = try sealer.seal(plain, at: time)
        keep(try opener.open(server.response(to: request)))
    }
    return comparison
}

/// Bytes that don't change.
private struct RepeatingRandom: RandomSource {
    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: index + 1) }
    }
}

import Crypto
import CryptoExtras
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

/// The response to one encrypted request of 200 bytes, by protocol 3.3.
func opening(_ example: PowerAuthExample) throws -> Comparison {
    let server = RawServer(example)
    let (request, opener) = try server.sealer(RepeatingRandom())
        .seal(Secret(example.body), at: example.time)
    let response = try server.response(to: request)
    guard try opener.open(response).count == example.body.count else {
        throw PushError(.untrusted, "Both sides read the same.")
    }
    let raw = RawOpening(example)

    var comparison = Comparison("PowerAuth: open a response, \(example.body.count) bytes")
    comparison.add("its AES-CBC and HMACs, by the plugin's own primitives") {
        keep(try raw.run())
    }
    comparison.add("the same with swift-crypto's HMAC") { keep(try raw.runByLibrary()) }
    comparison.add("open the response") { keep(try opener.open(response)) }
    return comparison
}

/// What opening an envelope of 200 bytes can't do without: a code over all of it, one for the
/// vector, and AES-128-CBC.
struct RawOpening {
    private let key: Data
    private let secret: Secret
    private let encrypted: Data
    private let covered: Data
    private let nonce: Data

    init(_ example: PowerAuthExample) {
        key = example.bytes(16)
        secret = Secret(key)
        encrypted = example.bytes(208)
        // The ciphertext, and after it `SI2`, nonce, time, an empty key and the associated data.
        covered = example.bytes(208 + 36 + 20 + 12 + 4 + 79)
        nonce = example.bytes(16)
    }

    func run() throws -> Data {
        keep(Inner.hmac(of: covered, by: secret))
        keep(Inner.hmac(of: nonce, by: secret))
        return try decrypt()
    }

    func runByLibrary() throws -> Data {
        keep(RawCode.code(key, covered))
        keep(RawCode.code(key, nonce))
        return try decrypt()
    }

    /// One block of AES.
    func block() throws -> Data {
        try AES._CBC.encrypt(
            nonce, using: SymmetricKey(data: key), iv: AES._CBC.IV(ivBytes: nonce),
            noPadding: true)
    }

    func code() -> [UInt8] { Inner.hmac(of: covered, by: secret) }

    private func decrypt() throws -> Data {
        try AES._CBC.decrypt(
            encrypted, using: SymmetricKey(data: key), iv: AES._CBC.IV(ivBytes: nonce),
            noPadding: true)
    }
}

/// Bytes that don't change.
struct RepeatingRandom: RandomSource {
    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: index + 1) }
    }
}

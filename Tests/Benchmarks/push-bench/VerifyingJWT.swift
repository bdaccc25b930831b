#if canImport(JWTKit)
import Crypto
import CryptoExtras
import Foundation
import Harness
import JWTKit
import PushCore
import PushJOSE

/// A JWT's way to its verified claims beside vapor/jwt-kit, with the same token and key: both have the
/// key ready, both end with eleven strings.
func verifyingJWT() async throws -> [Comparison] {
    let claims = try await EnrolledDevice().claims
    return [
        try await hs256(claims), try await rs256(claims), try await es256(claims),
    ]
}

private func hs256(_ claims: Data) async throws -> Comparison {
    let key = EnrolledDevice.secret.withBytes { SymmetricKey(data: $0) }
    let keys = JWTKeyCollection()
    await keys.add(hmac: HMACKey(key: key), digestAlgorithm: .sha256)
    let token = try Token(claims, "HS256") {
        Data(HMAC<SHA256>.authenticationCode(for: $0, using: key))
    }
    return try await token.comparison(keys, HS256Key(EnrolledDevice.secret)) {
        HMAC<SHA256>.isValidAuthenticationCode($1, authenticating: $0, using: key)
    }
}

private func rs256(_ claims: Data) async throws -> Comparison {
    let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    let numbers = try key.publicKey.getKeyPrimitives()
    let keys = JWTKeyCollection()
    await keys.add(
        rsa: try Insecure.RSA.PublicKey(backing: key.publicKey), digestAlgorithm: .sha256)
    let token = try Token(claims, "RS256") {
        try key.signature(for: $0, padding: .insecurePKCS1v1_5).rawRepresentation
    }
    let own = try RS256PublicKey(
        modulus: numbers.modulus, exponent: numbers.publicExponent)
    return try await token.comparison(keys, own) {
        key.publicKey.isValidSignature(
            .init(rawRepresentation: $1), for: $0, padding: .insecurePKCS1v1_5)
    }
}

private func es256(_ claims: Data) async throws -> Comparison {
    let key = P256.Signing.PrivateKey()
    let keys = JWTKeyCollection()
    await keys.add(ecdsa: try ECDSA.PublicKey<P256>(backing: key.publicKey))
    let token = try Token(claims, "ES256") { try key.signature(for: $0).rawRepresentation }
    return try await token.comparison(keys, PushJOSE.ES256PublicKey(key.publicKey)) {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: $1) else {
            return false
        }
        return key.publicKey.isValidSignature(signature, for: $0)
    }
}

/// A token, and the two parts that a bare check needs.
private struct Token: Sendable {
    private let algorithm: String
    private let text: String
    private let input: Data
    private let signature: Data

    init(_ claims: Data, _ algorithm: String, _ sign: (Data) throws -> Data) throws {
        let header = Data(#"{"typ":"JWT","alg":"\#(algorithm)"}"#.utf8)
        input = Data("\(Base64.encode(header, as: .url)).\(Base64.encode(claims, as: .url))".utf8)
        signature = try sign(input)
        text = String(decoding: input, as: UTF8.self) + "." + Base64.encode(signature, as: .url)
        self.algorithm = algorithm
    }

    func comparison(
        _ keys: JWTKeyCollection, _ key: some JWSVerificationKey,
        _ isValid: @escaping @Sendable (_ input: Data, _ signature: Data) -> Bool
    ) async throws -> Comparison {
        guard isValid(input, signature) else {
            throw PushError(.untrusted, "The bare check fails.")
        }
        _ = (try await keys.verify(text, as: Claims.self), try read(by: key))
        var comparison = Comparison("Verify a JWT, \(algorithm), \(text.utf8.count) bytes")
        comparison.add("the signature alone") { keep(isValid(input, signature)) }
        comparison.add("jwt-kit: decode and verify") {
            keep(try await keys.verify(text, as: Claims.self))
        }
        comparison.add("PushJOSE: decode and verify") { keep(try read(by: key)) }
        return comparison
    }

    private func read(by key: some JWSVerificationKey) throws -> Claims {
        try Claims(UnverifiedJWT(parsing: text).verified(by: key).claims)
    }
}

extension Claims: JWTPayload {
    init(_ claims: JSON.Object) throws {
        func text(_ name: String) throws -> String {
            guard let text = claims[name]?.string else {
                throw PushError(.malformed, "The claim \(name) is missing.")
            }
            return text
        }
        self.init(
            u: try text("u"), l: try text("l"), c: try text("c"), m: try text("m"),
            k: try text("k"), i: try text("i"), t: try text("t"), d: try text("d"),
            p: try text("p"), x: try text("x"), n: try text("n"))
    }

    func verify(using _: some JWTAlgorithm) {}
}
#else
import Harness

/// Without vapor/jwt-kit, as where the gate compiles this, there is nothing to compare with.
func verifyingJWT() -> [Comparison] { [] }
#endif

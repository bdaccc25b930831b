import Crypto
public import PushCore

/// An algorithm whose signatures a public key verifies, by its registered name (RFC 7518 section
/// 3.1).
@nonexhaustive
public enum JWSAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// RSA with PKCS#1 v1.5 and SHA-256.
    case rs256 = "RS256"
    /// RSA with PKCS#1 v1.5 and SHA-384.
    case rs384 = "RS384"
    /// RSA with PKCS#1 v1.5 and SHA-512.
    case rs512 = "RS512"
    /// ECDSA with P-256 and SHA-256.
    case es256 = "ES256"
    /// ECDSA with P-384 and SHA-384.
    case es384 = "ES384"
    /// ECDSA with P-521 and SHA-512.
    case es512 = "ES512"

    /// The algorithm of a name that a stranger wrote, compared by its bytes.
    init?(named name: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue.hasSameBytes(as: name) }) else {
            return nil
        }
        self = known
    }
}

/// A public key of any kind that issuers sign with, for the one ``JWSAlgorithm`` that it was made for.
public struct JWSPublicKey: JWSVerificationKey {
    private enum Key {
        case rsa(RSAPublicNumbers)
        case p256(ES256PublicKey)
        case p384(P384.Signing.PublicKey)
        case p521(P521.Signing.PublicKey)
    }

    private let key: Key
    private let kind: JWSAlgorithm

    /// The algorithm's registered name.
    public var algorithm: String { kind.rawValue }

    /// Creates a key from its JWK (RFC 7518 sections 6.2.1 and 6.3.1), if that is for verifying with
    /// an algorithm.
    ///
    /// - Throws: `PushError` with the code `untrusted` if it's for something else or has private
    ///   members, `malformed` if its numbers make no key, or no RSA key that ``RSAKeySize`` takes.
    public init(_ jwk: JWK, for algorithm: JWSAlgorithm) throws(PushError) {
        kind = algorithm
        switch algorithm {
        case .rs256, .rs384, .rs512:
            try jwk.check(.verify, keyType: "RSA", algorithm: algorithm.rawValue)
            key = .rsa(try RSAPublicNumbers(jwk))
        case .es256:
            key = .p256(try ES256PublicKey(jwk))
        case .es384:
            try jwk.check(.verify, keyType: "EC", algorithm: algorithm.rawValue)
            let point = try jwk.point(of: "P-384", byteCount: 48)
            guard let key = try? P384.Signing.PublicKey(rawRepresentation: point) else {
                throw PushError(.malformed, "The JWK isn't a point of P-384.")
            }
            self.key = .p384(key)
        case .es512:
            try jwk.check(.verify, keyType: "EC", algorithm: algorithm.rawValue)
            let point = try jwk.point(of: "P-521", byteCount: 66)
            guard let key = try? P521.Signing.PublicKey(rawRepresentation: point) else {
                throw PushError(.malformed, "The JWK isn't a point of P-521.")
            }
            self.key = .p521(key)
        }
    }

    /// Accepts PKCS#1 v1.5, or `r` and `s` in the length of the curve's order; neither PSS nor DER.
    ///
    /// - Throws: `PushError` with the code `untrusted`.
    public func verify(
        _ signature: UnsafeRawBufferPointer, over message: UnsafeRawBufferPointer
    ) throws(PushError) {
        let isValid =
            switch key {
            case .rsa(let key):
                switch kind {
                case .rs384: key.accepts(signature, for: SHA384.hash(of: message))
                case .rs512: key.accepts(signature, for: SHA512.hash(of: message))
                case .rs256, .es256, .es384, .es512:
                    key.accepts(signature, for: SHA256.digest(of: message))
                }
            case .p256(let key):
                (try? key.verify(signature, over: message)) != nil
            case .p384(let key):
                (try? P384.Signing.ECDSASignature(rawRepresentation: signature))
                    .map { key.isValidSignature($0, for: SHA384.hash(of: message)) } ?? false
            case .p521(let key):
                (try? P521.Signing.ECDSASignature(rawRepresentation: signature))
                    .map { key.isValidSignature($0, for: SHA512.hash(of: message)) } ?? false
            }
        guard isValid else { throw PushError(.untrusted, "The \(algorithm) signature is wrong.") }
    }
}

extension JWK {
    /// The algorithm that a public key verifies with: what `alg` says; without it the curve's, and
    /// RS256 for RSA, the one that every issuer knows. `nil` for any other key.
    var verificationAlgorithm: JWSAlgorithm? {
        if let algorithm { return JWSAlgorithm(named: algorithm) }
        if keyType.hasSameBytes(as: "RSA") { return .rs256 }
        guard keyType.hasSameBytes(as: "EC"), let curve = members["crv"]?.string else { return nil }
        let curves: [(String, JWSAlgorithm)] = [
            ("P-256", .es256), ("P-384", .es384), ("P-521", .es512),
        ]
        return curves.first { curve.hasSameBytes(as: $0.0) }?.1
    }
}

extension HashFunction {
    fileprivate static func hash(of bytes: UnsafeRawBufferPointer) -> Digest {
        var hash = Self()
        hash.update(bufferPointer: bytes)
        return hash.finalize()
    }
}

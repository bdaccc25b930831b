import Crypto
import CryptoExtras
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A public key for RSA with PKCS#1 v1.5 and SHA-256 (RFC 7518 section 3.3), of
/// ``RSAKeySize/smallest`` bits or more.
public struct RS256PublicKey: JWSVerificationKey {
    private let key: RSAPublicNumbers

    /// Creates a key from its numbers, most significant byte first.
    ///
    /// - Throws: `PushError` with the code `malformed` if they make no key of this size.
    public init(
        modulus: some ContiguousBytes, exponent: some ContiguousBytes
    ) throws(PushError) {
        key = try RSAPublicNumbers(modulus: modulus, exponent: exponent)
    }

    /// Creates a key from its JWK (RFC 7518 section 6.3.1), if that is for verifying with RS256.
    ///
    /// - Throws: `PushError` with the code `untrusted` if it's for something else or has private
    ///   members, `malformed` if its numbers make no key of this size.
    public init(_ jwk: JWK) throws(PushError) {
        try jwk.check(.verify, keyType: "RSA", algorithm: "RS256")
        key = try RSAPublicNumbers(jwk)
    }

    /// `RS256`.
    public var algorithm: String { "RS256" }

    /// Accepts PKCS#1 v1.5 alone; the library's own default would be PSS.
    ///
    /// - Throws: `PushError` with the code `untrusted`.
    public func verify(
        _ signature: UnsafeRawBufferPointer, over message: UnsafeRawBufferPointer
    ) throws(PushError) {
        guard key.accepts(signature, for: SHA256.digest(of: message)) else {
            throw PushError(.untrusted, "The RS256 signature is wrong.")
        }
    }
}

/// A public key of RSA, for signatures with PKCS#1 v1.5 over a digest of any kind.
struct RSAPublicNumbers: Sendable {
    private let key: _RSA.Signing.PublicKey

    init(modulus: some ContiguousBytes, exponent: some ContiguousBytes) throws(PushError) {
        guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent),
            RSAKeySize.takes(key.keySizeInBits)
        else { throw RSAKeySize.refusal }
        // With 1 anybody signs. Not every system's library refuses it.
        let isOne = exponent.withUnsafeBytes { $0.drop { $0 == 0 }.elementsEqual([1]) }
        guard !isOne else { throw PushError(.malformed, "The RSA key's exponent is 1.") }
        self.key = key
    }

    init(_ jwk: JWK) throws(PushError) {
        try self.init(modulus: try jwk.bytes("n"), exponent: try jwk.bytes("e"))
    }

    func accepts(_ signature: UnsafeRawBufferPointer, for digest: some Digest) -> Bool {
        key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest,
            padding: .insecurePKCS1v1_5)
    }
}

/// A private key for RSA with PKCS#1 v1.5 and SHA-256 (RFC 7518 section 3.3), of
/// ``RSAKeySize/smallest`` bits or more.
public struct RS256PrivateKey: JWSSigningKey {
    private let key: _RSA.Signing.PrivateKey

    /// Makes a new key of ``RSAKeySize/smallest`` bits.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if the library can't make one.
    @concurrent public static func generate() async throws(PushError) -> RS256PrivateKey {
        do {
            return RS256PrivateKey(
                try _RSA.Signing.PrivateKey(keySize: .init(bitCount: RSAKeySize.smallest)))
        } catch {
            throw PushError(.invalidArgument, "No RSA key could be made.", underlying: error)
        }
    }

    private init(_ key: _RSA.Signing.PrivateKey) {
        self.key = key
    }

    /// Creates a key from its PKCS#1 form in DER.
    ///
    /// - Throws: `PushError` with the code `malformed` if it isn't one of this size.
    public init(pkcs1 secret: Secret) throws(PushError) {
        let key = secret.withBytes { bytes in
            try? _RSA.Signing.PrivateKey(derRepresentation: Array(bytes))
        }
        guard let key, RSAKeySize.takes(key.keySizeInBits) else { throw RSAKeySize.refusal }
        self.key = key
    }

    /// Creates a key from its JWK (RFC 7518 section 6.3.2), if that is for signing with RS256.
    ///
    /// - Throws: `PushError` with the code `untrusted` if it's for something else, `malformed` if
    ///   its numbers make no key of this size, or contradict each other.
    public init(privateJWK jwk: JWK) throws(PushError) {
        try jwk.check(.sign, keyType: "RSA", algorithm: "RS256")
        let (n, e) = (try jwk.bytes("n"), try jwk.bytes("e"))
        let (d, p, q) = (try jwk.secret("d"), try jwk.secret("p"), try jwk.secret("q"))
        let key = d.withBytes { d in
            p.withBytes { p in
                q.withBytes { q in
                    try? _RSA.Signing.PrivateKey(n: n, e: e, d: d, p: p, q: q)
                }
            }
        }
        guard let key, RSAKeySize.takes(key.keySizeInBits) else { throw RSAKeySize.refusal }
        self.key = key
        for (name, value) in try numbers().privateMembers {
            guard value.isEqualInConstantTime(to: try jwk.secret(name)) else {
                throw PushError(.malformed, "The JWK's \(name) doesn't belong to its key.")
            }
        }
    }

    /// `RS256`.
    public var algorithm: String { "RS256" }

    /// Signs with PKCS#1 v1.5; the library's own default would be PSS.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if the key can't sign.
    public func signature(over message: Data) throws(PushError) -> Data {
        do {
            return try key.signature(
                for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5
            ).rawRepresentation
        } catch {
            throw PushError(.invalidArgument, "The key can't sign.", underlying: error)
        }
    }

    /// The key in its PKCS#1 form.
    public var pkcs1: Secret { Secret(key.derRepresentation) }

    /// The key's numbers.
    package func numbers() throws(PushError) -> RSAPrivateNumbers {
        try pkcs1.withBytes { (bytes) throws(PushError) in try RSAPrivateNumbers(pkcs1: bytes) }
    }

    /// The public half as JWK.
    ///
    /// - Parameter additional: Members to add, such as `kid`, `use` and `alg`.
    /// - Returns: The key.
    /// - Throws: `PushError` with the code `malformed` if an added member has the wrong type.
    public func publicJWK(adding additional: JSON.Object = [:]) throws(PushError) -> JWK {
        try JWK(Self.members(of: try numbers(), adding: additional))
    }

    /// The key as JWK, with its private half, as text that nothing zeroes.
    ///
    /// - Parameter additional: Members to add, such as `kid`, `use` and `alg`.
    /// - Returns: The key.
    /// - Throws: `PushError` with the code `malformed` if an added member has the wrong type.
    public func privateJWK(adding additional: JSON.Object = [:]) throws(PushError) -> JWK {
        let numbers = try numbers()
        var members = Self.members(of: numbers, adding: additional)
        for (name, value) in numbers.privateMembers { members[name] = Self.text(value) }
        return try JWK(members)
    }

    private static func members(
        of numbers: RSAPrivateNumbers, adding additional: JSON.Object
    ) -> JSON.Object {
        let own: [(String, JSON)] = [
            ("kty", "RSA"), ("n", text(numbers.modulus)), ("e", text(numbers.publicExponent)),
        ]
        // Of two members with one name the last wins: the key's own can't be replaced.
        return JSON.Object(own + additional.members + own)
    }

    private static func text(_ number: Secret) -> JSON {
        .string(number.withBytes { Base64.encode($0, as: .url) })
    }
}

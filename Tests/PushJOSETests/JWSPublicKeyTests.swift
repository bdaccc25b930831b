import Crypto
import CryptoExtras
import Foundation
import PushCore
import PushJOSE
import Testing

/// What an issuer signs with, made here by swift-crypto itself.
enum IssuerKey {
    static let p384 = P384.Signing.PrivateKey()
    static let p521 = P521.Signing.PrivateKey()

    /// A public JWK of an elliptic curve's point, both coordinates of one length.
    static func jwk(_ curve: String, _ point: Data, adding more: JSON.Object = [:]) -> JSON.Object {
        let half = point.count / 2
        let own: [(String, JSON)] = [
            ("kty", "EC"), ("crv", .string(curve)),
            ("x", .string(Base64.encode(point.prefix(half), as: .url))),
            ("y", .string(Base64.encode(point.suffix(half), as: .url))),
        ]
        return JSON.Object(own + more.members)
    }

    static func p384JWK(adding more: JSON.Object = [:]) -> JSON.Object {
        jwk("P-384", p384.publicKey.rawRepresentation, adding: more)
    }

    static func p521JWK(adding more: JSON.Object = [:]) -> JSON.Object {
        jwk("P-521", p521.publicKey.rawRepresentation, adding: more)
    }
}

struct JWSPublicKeyTests {
    private let message = Data("header.payload".utf8)

    @Test func `ES512 of RFC 7520 section 4_3 verifies`() throws {
        let jws = try UnverifiedJWS(parsing: RFC7520S43.jws)
        let key = try JWSPublicKey(jwk(RFC7520S43.jwk), for: .es512)
        #expect(try jws.verified(by: key).header.keyID == "bilbo.baggins@hobbiton.example")
        let set = try JWKSet(parsing: Data(#"{"keys":[\#(RFC7520S43.jwk)]}"#.utf8))
        let found = try set.key(for: jws.unverifiedHeader)
        #expect(try jws.verified(by: found).payload.starts(with: "It’s a dangerous".utf8))
    }

    @Test func `a P-384 and a P-521 signature is r and s, and nothing else`() throws {
        let es384 = try JWSPublicKey(JWK(IssuerKey.p384JWK()), for: .es384)
        let es512 = try JWSPublicKey(JWK(IssuerKey.p521JWK()), for: .es512)
        let one = try IssuerKey.p384.signature(for: SHA384.hash(data: message))
        let other = try IssuerKey.p521.signature(for: SHA512.hash(data: message))
        try es384.verify(one.rawRepresentation, over: message)
        try es512.verify(other.rawRepresentation, over: message)
        #expect(one.rawRepresentation.count == 96 && other.rawRepresentation.count == 132)
        for wrong in [
            one.derRepresentation, one.rawRepresentation + [0], one.rawRepresentation.dropLast(),
            Data(count: 96), Data(),
        ] {
            #expect(refusal { try es384.verify(wrong, over: message) } == .untrusted)
        }
        #expect(refusal { try es384.verify(one.rawRepresentation, over: Data()) } == .untrusted)
        let otherHash = try IssuerKey.p384.signature(for: SHA256.hash(data: message))
        let code = refusal { try es384.verify(otherHash.rawRepresentation, over: message) }
        #expect(code == .untrusted)
    }

    @Test(arguments: [JWSAlgorithm.rs256, .rs384, .rs512])
    func `an RSA signature counts with its own hash alone`(algorithm: JWSAlgorithm) throws {
        let members = try jwk(RSAExample.publicJWK, changing: ["alg": .string(algorithm.rawValue)])
        let key = try JWSPublicKey(members, for: algorithm)
        let der = try RS256PrivateKey(privateJWK: jwk(RSAExample.privateJWK)).pkcs1
        let pair = try der.withBytes {
            try _RSA.Signing.PrivateKey(derRepresentation: Array($0))
        }
        let signatures: [(JWSAlgorithm, _RSA.Signing.RSASignature)] = [
            (
                .rs256,
                try pair.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
            ),
            (
                .rs384,
                try pair.signature(for: SHA384.hash(data: message), padding: .insecurePKCS1v1_5)
            ),
            (
                .rs512,
                try pair.signature(for: SHA512.hash(data: message), padding: .insecurePKCS1v1_5)
            ),
        ]
        for (hash, signature) in signatures {
            let code = refusal { try key.verify(signature.rawRepresentation, over: message) }
            #expect(code == (hash == algorithm ? nil : .untrusted))
        }
        let pss = try pair.signature(for: SHA384.hash(data: message), padding: .PSS)
        #expect(refusal { try key.verify(pss.rawRepresentation, over: message) } == .untrusted)
    }

    @Test func `a key for something else is refused`() throws {
        let cases: [(JSON.Object, JWSAlgorithm, PushError.Code)] = [
            (IssuerKey.p384JWK(), .es512, .untrusted),
            (IssuerKey.p384JWK(), .es256, .untrusted), (IssuerKey.p384JWK(), .rs384, .untrusted),
            (IssuerKey.p384JWK(adding: ["alg": "ES512"]), .es384, .untrusted),
            (IssuerKey.p384JWK(adding: ["use": "enc"]), .es384, .untrusted),
            (IssuerKey.p384JWK(adding: ["d": "AQAB"]), .es384, .untrusted),
            (IssuerKey.p521JWK(adding: ["k": "AQAB"]), .es512, .untrusted),
            (
                IssuerKey.jwk("P-521", IssuerKey.p384.publicKey.rawRepresentation), .es512,
                .malformed
            ),
            (IssuerKey.jwk("P-384", Data(repeating: 1, count: 96)), .es384, .malformed),
            (IssuerKey.jwk("P-384", Data(count: 96)), .es384, .malformed),
            (["kty": "EC", "crv": "P-521", "x": "AQ", "y": "AQ"], .es512, .malformed),
            (["kty": "oct", "k": "AQAB"], .rs512, .untrusted),
            (["kty": "RSA", "n": "AQAB", "e": "AQAB"], .rs512, .malformed),
        ]
        for (members, algorithm, code) in cases {
            #expect(refusal { try JWSPublicKey(JWK(members), for: algorithm) } == code)
        }
    }

    @Test(arguments: ["AQ", "AAE", "AA"])
    func `an RSA key whose exponent makes everything a signature is refused`(
        exponent: String
    ) throws {
        let changed = try jwk(RSAExample.publicJWK, changing: ["e": .string(exponent)])
        #expect(refusal { try JWSPublicKey(changed, for: .rs256) } == .malformed)
        #expect(refusal { try RS256PublicKey(changed) } == .malformed)
    }
}

import Crypto
import CryptoExtras
import Foundation
import PushCore
import PushJOSE
import Testing

@testable import PushPlusAuth

@Suite struct RS256KeyTests {
    private func jwk(_ name: String) throws -> JWK { try JWK(Vectors().object(name)) }

    private func changed(
        _ name: String, _ change: (inout JSON.Object) -> Void
    ) throws -> JWK {
        var members = try Vectors().object(name)
        change(&members)
        return try JWK(members)
    }

    private let message = Data("header.payload".utf8)

    @Test func `a private JWK is read and written with every member`() throws {
        let key = try RS256PrivateKey(privateJWK: jwk("rsa_private_jwk"))
        let added: JSON.Object = [
            "use": "sig", "alg": "RS256", "kid": .string(try key.publicJWK().thumbprint()),
        ]
        #expect(try key.privateJWK(adding: added).members == Vectors().object("rsa_private_jwk"))
        #expect(try key.publicJWK(adding: added).members == Vectors().object("rsa_public_jwk"))
    }

    @Test func `the numbers of the key can't be replaced by what is added`() throws {
        let key = try RS256PrivateKey(privateJWK: jwk("rsa_private_jwk"))
        let added: JSON.Object = ["n": "AQAB", "kty": "oct", "d": "AQAB"]
        let written = try key.privateJWK(adding: added).members
        for name in ["n", "kty", "d"] {
            #expect(try written[name] == Vectors().object("rsa_private_jwk")[name])
        }
    }

    @Test(arguments: ["d", "p", "q", "dp", "dq", "qi"])
    func `a private JWK whose numbers contradict each other is refused`(name: String) throws {
        let other = name == "p" ? "q" : "p"
        let jwk = try changed("rsa_private_jwk") { $0[name] = $0[other] }
        #expect(throws: PushError.self) { try RS256PrivateKey(privateJWK: jwk) }
        let missing = try changed("rsa_private_jwk") { $0[name] = nil }
        #expect(throws: PushError.self) { try RS256PrivateKey(privateJWK: missing) }
    }

    @Test(arguments: [("alg", "PS256"), ("use", "enc"), ("kty", "EC")])
    func `a JWK for something else is refused`(name: String, value: String) throws {
        let private_ = try changed("rsa_private_jwk") { $0[name] = .string(value) }
        #expect(throws: PushError.self) { try RS256PrivateKey(privateJWK: private_) }
        let public_ = try changed("rsa_public_jwk") { $0[name] = .string(value) }
        #expect(throws: PushError.self) { try RS256PublicKey(public_) }
    }

    @Test func `a public key with private members is refused`() throws {
        #expect(throws: PushError.self) { try RS256PublicKey(jwk("rsa_private_jwk")) }
    }

    @Test func `a key of less than 2048 bits is refused`() throws {
        let small = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024))
        let numbers = try small.publicKey.getKeyPrimitives()
        #expect(throws: PushError.self) {
            try RS256PublicKey(modulus: numbers.modulus, exponent: numbers.publicExponent)
        }
        #expect(throws: PushError.self) {
            try RS256PrivateKey(pkcs1: Secret(small.derRepresentation))
        }
    }

    @Test func `what it signs, its public half accepts, and nothing else`() throws {
        let key = try RS256PrivateKey(privateJWK: jwk("rsa_private_jwk"))
        let half = try RS256PublicKey(jwk("rsa_public_jwk"))
        let signature = try key.signature(over: message)
        try half.verify(signature, over: message)
        #expect(throws: PushError.self) { try half.verify(signature, over: message + [0]) }
        for changed in [signature + [0], signature.dropLast(), Data(), Data(count: 256)] {
            #expect(throws: PushError.self) { try half.verify(Data(changed), over: message) }
        }
    }

    @Test func `a PSS signature of the same key is refused`() throws {
        let der = try RS256PrivateKey(privateJWK: jwk("rsa_private_jwk")).pkcs1
        let key = try der.withBytes {
            try _RSA.Signing.PrivateKey(derRepresentation: Array($0))
        }
        let signature = try key.signature(for: message, padding: .PSS).rawRepresentation
        let half = try RS256PublicKey(jwk("rsa_public_jwk"))
        #expect(throws: PushError.self) { try half.verify(signature, over: message) }
    }

    @Test func `an answer is signed as the example's is, byte for byte`() throws {
        let key = try RS256PrivateKey(privateJWK: jwk("rsa_private_jwk"))
        let expected = try Vectors()("rs256_code_selected")
        let claims = try #require(expected.split(separator: ".").dropFirst().first)
        let signing = try AccountSigningKey(.rs256(key))
        let payload = try #require(JSON(parsing: Base64.data(from: claims, as: .url)).object)
        #expect(try signing.signed(payload) == expected)
    }

    @Test func `numbers are read from nothing but a whole key of two primes`() throws {
        let der = try RS256PrivateKey(privateJWK: jwk("rsa_private_jwk")).pkcs1
            .withBytes { Array($0) }
        func read(_ bytes: [UInt8]) throws(PushError) {
            try Secret(bytes).withBytes { (bytes) throws(PushError) in
                _ = try RSAPrivateNumbers(pkcs1: bytes)
            }
        }
        try read(der)
        #expect(throws: PushError.self) { try read(der + [0]) }
        for count in stride(from: 0, to: der.count, by: 31) {
            #expect(throws: PushError.self) { try read(Array(der.prefix(count))) }
        }
        var versioned = der
        let version = try #require(
            der.indices.first { der[$0...].starts(with: [0x02, 0x01, 0x00]) })
        versioned[version + 2] = 1
        #expect(throws: PushError.self) { try read(versioned) }
    }

    @Test func `a new key has 2048 bits, and is another one each time`() async throws {
        let (one, other) = (
            try await RS256PrivateKey.generate(), try await RS256PrivateKey.generate()
        )
        #expect(try one.numbers().modulus.count == 256)
        #expect(try one.publicJWK().thumbprint() != other.publicJWK().thumbprint())
    }
}

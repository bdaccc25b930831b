import Crypto
import CryptoExtras
import Foundation
import PushCore
import Testing

@testable import PushJOSE

@Suite struct RS256KeyTests {
    private let members: JSON.Object
    private let key: RS256PrivateKey
    private let half: RS256PublicKey

    init() throws {
        members = try jwk(RSAExample.privateJWK).members
        key = try RS256PrivateKey(privateJWK: JWK(members))
        half = try RS256PublicKey(jwk(RSAExample.publicJWK))
    }

    private let message = Data("header.payload".utf8)

    @Test func `a private JWK is read and written with every member`() throws {
        let added: JSON.Object = [
            "use": "sig", "alg": "RS256", "kid": .string(try key.publicJWK().thumbprint()),
        ]
        #expect(try key.privateJWK(adding: added).members == members)
        #expect(try key.publicJWK(adding: added).members == jwk(RSAExample.publicJWK).members)
    }

    @Test func `the numbers of the key can't be replaced by what is added`() throws {
        let added: JSON.Object = ["n": "AQAB", "kty": "oct", "d": "AQAB"]
        let written = try key.privateJWK(adding: added).members
        for name in ["n", "kty", "d"] {
            #expect(written[name] == members[name])
        }
    }

    @Test(arguments: ["d", "p", "q", "dp", "dq", "qi"])
    func `a private JWK whose numbers contradict each other is refused`(name: String) throws {
        let other = name == "p" ? "q" : "p"
        let changed = try jwk(RSAExample.privateJWK, changing: [name: members[other]])
        #expect(throws: PushError.self) { try RS256PrivateKey(privateJWK: changed) }
        let missing = try jwk(RSAExample.privateJWK, changing: [name: .some(nil)])
        #expect(throws: PushError.self) { try RS256PrivateKey(privateJWK: missing) }
    }

    @Test(arguments: [("alg", "PS256"), ("use", "enc"), ("kty", "EC")])
    func `a JWK for something else is refused`(name: String, value: String) throws {
        let pair = try jwk(RSAExample.privateJWK, changing: [name: .string(value)])
        #expect(throws: PushError.self) { try RS256PrivateKey(privateJWK: pair) }
        let changed = try jwk(RSAExample.publicJWK, changing: [name: .string(value)])
        #expect(throws: PushError.self) { try RS256PublicKey(changed) }
    }

    @Test func `a public key with private members is refused`() throws {
        #expect(throws: PushError.self) { try RS256PublicKey(JWK(members)) }
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
        #expect([2047, 2048, 16_384, 16_385].map(RSAKeySize.takes) == [false, true, true, false])
    }

    @Test func `what it signs, its public half accepts, and nothing else`() throws {
        let signature = try key.signature(over: message)
        try half.verify(signature, over: message)
        #expect(throws: PushError.self) { try half.verify(signature, over: message + [0]) }
        for changed in [signature + [0], signature.dropLast(), Data(), Data(count: 256)] {
            #expect(throws: PushError.self) { try half.verify(Data(changed), over: message) }
        }
    }

    @Test func `a PSS signature of the same key is refused`() throws {
        let der = key.pkcs1
        let key = try der.withBytes {
            try _RSA.Signing.PrivateKey(derRepresentation: Array($0))
        }
        let signature = try key.signature(for: message, padding: .PSS).rawRepresentation
        #expect(throws: PushError.self) { try half.verify(signature, over: message) }
    }

    @Test func `a token is signed as the example is, byte for byte, and verified`() throws {
        let token = try UnverifiedJWT(parsing: RSAExample.jws)
        let verified = try token.verified(by: half)
        #expect(verified.claims["selected_value"]?.string == "07")
        let header = token.unverifiedHeader.parameters
        #expect(
            try key.compactJWS(of: verified.withPayload { Data($0) }, header: header)
                == RSAExample.jws)
    }

    @Test func `numbers are read from nothing but a whole key of two primes`() throws {
        let der = key.pkcs1.withBytes { Array($0) }
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

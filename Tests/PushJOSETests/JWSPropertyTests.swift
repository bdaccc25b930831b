import Crypto
import Foundation
import PushCore
import PushJOSE
import Testing

struct JWSPropertyTests {
    @Test(arguments: 0..<40) func `what we sign we verify`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let payload = Data(generator.bytes(Int.random(in: 1...600, using: &generator)))
        let secret = HS256Key(Secret(generator.bytes(Int.random(in: 0...100, using: &generator))))
        let pair = try ES256PrivateKey(Secret([1] + generator.bytes(31)))
        let header: JSON.Object = ["kid": .string("\(generator.next())"), "typ": "acme+jwt"]
        let mac = try UnverifiedJWS(parsing: secret.compactJWS(of: payload, header: header))
        let signed = try UnverifiedJWS(parsing: pair.compactJWS(of: payload, header: header))
        for jws in [try mac.verified(by: secret), try signed.verified(by: pair.publicKey)] {
            #expect(jws.payload == payload)
            #expect(jws.header.keyID == header["kid"]?.string)
            #expect(jws.header.type == "acme+jwt")
        }
        #expect(refusal { try mac.verified(by: pair.publicKey) } == .untrusted)
        #expect(refusal { try signed.verified(by: secret) } == .untrusted)
    }

    @Test func `every single-bit flip of an HS256 JWS is refused`() throws {
        let key = try HS256Key(try jwk(RFC7515A1.jwk), for: .verify)
        try expectEveryFlipRefused(RFC7515A1.jws, by: key)
    }

    @Test func `every single-bit flip of an ES256 JWS is refused`() throws {
        let key = try ES256PrivateKey(privateJWK: try jwk(RFC7515A3.jwk)).publicKey
        try expectEveryFlipRefused(RFC7515A3.jws, by: key)
    }

    private func expectEveryFlipRefused(_ jws: String, by key: some JWSVerificationKey) throws {
        let genuine = Data(jws.utf8)
        _ = try UnverifiedJWS(parsing: genuine).verified(by: key)
        for position in genuine.indices {
            for bit in 0..<8 {
                var flipped = genuine
                flipped[position] ^= 1 << bit
                let code = refusal {
                    try UnverifiedJWS(parsing: flipped).verified(by: key)
                }
                #expect(code == .malformed || code == .untrusted, "bit \(bit) of byte \(position)")
            }
        }
    }

    @Test func `under leniency a flip is refused or changes nothing`() throws {
        let key = try HS256Key(try jwk(RFC7515A1.jwk), for: .verify)
        let genuine = Data(RFC7515A1.jws.utf8)
        let payload = try UnverifiedJWS(parsing: genuine).verified(by: key).payload
        var accepted = 0
        for position in genuine.indices {
            for bit in 0..<8 {
                var flipped = genuine
                flipped[position] ^= 1 << bit
                let jws = try? UnverifiedJWS(parsing: flipped, encoding: .anyAlphabet)
                guard let verified = try? jws?.verified(by: key) else { continue }
                accepted += 1
                #expect(verified.payload == payload)
                #expect(position == genuine.count - 1)
            }
        }
        // "k" is 36 of 64; flipping its unused bits gives "l" and "m" or the like.
        #expect(accepted <= 2)
    }

    @Test(arguments: 0..<20) func `random bytes are refused without a trap`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let characters = Array("eyJhbGciOiJIUzI1NiJ9..==+/-_ \n".utf8) + [0, 0x80, 0xFF]
        for _ in 0..<300 {
            let count = Int.random(in: 0...80, using: &generator)
            let text = Data(
                (0..<count).map { _ in characters.randomElement(using: &generator) ?? 0 })
            for encoding: JWSEncoding in [.strict, .anyAlphabet] {
                let code = refusal {
                    try UnverifiedJWS(parsing: text, encoding: encoding).verified(by: acmeKey)
                }
                #expect(code == .malformed || code == .untrusted)
            }
        }
    }
}

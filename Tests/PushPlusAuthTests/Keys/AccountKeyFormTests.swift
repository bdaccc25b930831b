import Foundation
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushPlusAuth

@Suite struct AccountKeyFormTests {
    @Test(arguments: ["rsa", "ec"])
    func `a kept key signs and verifies as before`(name: String) throws {
        let key = try ExportableAccountKey(
            privateJWK: JWK(Vectors().parsed("\(name)_private_jwk"))
        ).signingKey
        let kept = try AccountSigningKey(key.algorithm, stored: key.stored, name: key.name)
        let text = try kept.signed(["response": "accepted"])
        let verification = try AccountVerificationKey(
            key.algorithm, stored: try key.verification)
        let verified = try verification.verified(try UnverifiedJWS(parsing: text))
        #expect(verified.payload == Data(#"{"response":"accepted"}"#.utf8))
        #expect(verified.header.keyID == key.name)
    }

    @Test func `an answer is signed as the example's is, byte for byte`() throws {
        let key = try ExportableAccountKey(
            privateJWK: JWK(Vectors().parsed("rsa_private_jwk"))
        ).signingKey
        let expected = try Vectors()("rs256_code_selected")
        let claims = try #require(expected.split(separator: ".").dropFirst().first)
        let payload = try #require(JSON(parsing: Base64.data(from: claims, as: .url)).object)
        #expect(try key.signed(payload) == expected)
    }

    @Test(arguments: ["rsa", "ec"])
    func `a key is named by its thumbprint, and written as the example's is`(
        name: String
    ) throws {
        let vectors = try Vectors()
        let members = try vectors.parsed("\(name)_private_jwk")
        let key = try ExportableAccountKey(privateJWK: JWK(members))
        #expect(try key.privateJWK().members == members)
        #expect(try key.signingKey.publicJWK.members == vectors.parsed("\(name)_public_jwk"))
        #expect(members["kid"] == .string(key.signingKey.name))
    }

    @Test(
        arguments: [
            [], [0], [3, 1, 0, 1], [255, 1], [3, 1, 0, 1, 5], [0, 1, 2, 3],
        ] as [[UInt8]])
    func `a damaged key verifies nothing`(bytes: [UInt8]) {
        for algorithm in PlusAuth.KeyAlgorithm.allCases {
            #expect(throws: PushError.self) {
                try AccountVerificationKey(algorithm, stored: Secret(bytes))
            }
        }
    }

    @Test func `no description shows a key`() async throws {
        let key = try await ExportableAccountKey.generate(.es256)
        let jwk = try key.privateJWK()
        let secret = try #require(jwk.members["d"]?.string)
        for value in [key, key.signingKey, jwk] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value) \(String(reflecting: value)) \(dumped)".contains(secret))
        }
    }
}

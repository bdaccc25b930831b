import Crypto
import Foundation
import PushCore
import PushJOSE
import Testing

/// Tokens that name a key, or an algorithm, that isn't the enrolled one.
struct JWSKeyFaultTests {
    private let keys = [
        "ada": HS256Key(Secret(Array("the key of ada, which has 32 byte".utf8))),
        "bob": HS256Key(Secret(Array("the key of bob, which has 32 byte".utf8))),
    ]

    /// What a plugin does with a token: finds the key by its `kid`, and verifies.
    private func verify(_ text: String) throws -> VerifiedJWS {
        let token = try UnverifiedJWS(parsing: text)
        guard let key = token.unverifiedHeader.keyID.flatMap({ keys[$0] }) else {
            throw PushError(.unknownEnrollment, "No such key.")
        }
        return try token.verified(by: key)
    }

    private func token(_ header: String, by signer: String) throws -> String {
        try signedJWS(header: header, payload: "{}", by: try #require(keys[signer]))
    }

    @Test(arguments: ["carol", "ADA", "ada ", "ada\\u0000", "../ada", "", "*"])
    func `an unknown kid leads to no key, so the token is refused`(kid: String) throws {
        let text = try token(#"{"alg":"HS256","kid":"\#(kid)"}"#, by: "ada")
        #expect(refusal { try verify(text) } == .unknownEnrollment)
    }

    @Test func `a token without kid is refused where keys are found by it`() throws {
        let text = try token(#"{"alg":"HS256"}"#, by: "ada")
        #expect(refusal { try verify(text) } == .unknownEnrollment)
    }

    @Test func `a kid of another account leads to a key that refuses`() throws {
        let text = try token(#"{"alg":"HS256","kid":"bob"}"#, by: "ada")
        #expect(refusal { try verify(text) } == .untrusted)
        #expect(
            try verify(try token(#"{"alg":"HS256","kid":"ada"}"#, by: "ada")).payload.count == 2)
    }

    @Test(arguments: ["none", "None", "NONE", "nOnE"])
    func `a token whose alg is none is refused, with a signature or without`(
        algorithm: String
    ) throws {
        let header = #"{"alg":"\#(algorithm)","kid":"ada"}"#
        #expect(refusal { try verify(try token(header, by: "ada")) } == .untrusted)
        let bare = Base64.encode(Array(header.utf8), as: .url) + ".e30."
        #expect(refusal { try verify(bare) } == .malformed)
    }

    @Test func `HS256 with the public key as its secret is refused by the public key`() throws {
        let publicKey = P256.Signing.PrivateKey().publicKey
        for known in [
            publicKey.rawRepresentation, publicKey.x963Representation,
            publicKey.compressedRepresentation, publicKey.derRepresentation,
            Data(publicKey.pemRepresentation.utf8),
        ] {
            let forger = HS256Key(Secret(Array(known)))
            for algorithm in ["HS256", "ES256"] {
                let text = try signedJWS(
                    header: #"{"alg":"\#(algorithm)","kid":"ada"}"#, payload: "{}", by: forger)
                let code = refusal {
                    try UnverifiedJWS(parsing: text).verified(by: ES256PublicKey(publicKey))
                }
                #expect(code == .untrusted)
            }
        }
    }
}

import Crypto
import Foundation
import PushCore
import PushJOSE
import Testing

struct ThumbprintTests {
    @Test func `the thumbprint of RFC 7638 section 3_1 holds`() throws {
        #expect(try jwk(RFC7638.jwk).thumbprint() == RFC7638.thumbprint)
    }

    @Test func `only the members of the type count, in their order`() throws {
        for (text, hashed) in [
            (
                RFC7515A3.jwk,
                #"{"crv":"P-256","kty":"EC","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
                    + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#
            ),
            (
                #"{"kty":"oct","use":"sig","k":"GawgguFyGrWKav7AX4VKUg"}"#,
                #"{"k":"GawgguFyGrWKav7AX4VKUg","kty":"oct"}"#
            ),
        ] {
            let digest = Array(SHA256.hash(data: Data(hashed.utf8)))
            #expect(try jwk(text).thumbprint() == Base64.encode(digest, as: .url))
        }
    }

    @Test func `both halves of a key have one thumbprint`() throws {
        let key = ES256PrivateKey(P256.Signing.PrivateKey())
        let whole = try key.privateJWK(adding: ["kid": "x"]).thumbprint()
        #expect(try key.publicKey.jwk().thumbprint() == whole)
    }

    @Test func `a missing or non-canonical member has no thumbprint`() throws {
        for changes in [
            ["n": nil], ["e": nil], ["e": "AQAB="], ["e": 65537], ["e": "AQ+B"], ["e": "AR"],
        ]
            as [[String: JSON?]]
        {
            let key = try jwk(RFC7638.jwk, changing: changes)
            #expect(refusal { try key.thumbprint() } == .malformed)
        }
        let noCurve = try jwk(RFC7515A3.jwk, changing: ["crv": .none])
        #expect(refusal { try noCurve.thumbprint() } == .malformed)
        let okp = try jwk(#"{"kty":"OKP","crv":"Ed25519","x":"AA"}"#)
        #expect(refusal { try okp.thumbprint() } == .unsupported)
    }
}

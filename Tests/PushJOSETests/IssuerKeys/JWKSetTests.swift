import Crypto
import Foundation
import PushCore
import PushJOSE
import Testing

struct JWKSetTests {
    private func header(_ keyID: String?, _ algorithm: String) throws -> JWSHeader {
        var members: JSON.Object = ["alg": .string(algorithm)]
        members["kid"] = keyID.map { .string($0) }
        return try JWSHeader(members)
    }

    private func set(_ keys: JSON.Object...) throws -> JWKSet {
        let keys = keys.map { JSON.object($0) }
        return try JWKSet(parsing: JSON.object(["keys": .array(keys)]).data)
    }

    /// Members that need not make a key.
    private func rsa(_ changes: [String: JSON?]) throws -> JSON.Object {
        var members = try jwk(RSAExample.publicJWK).members
        for (name, value) in changes { members[name] = value }
        return members
    }

    @Test func `a key is found by its kid and alg together`() throws {
        let keys = try set(
            rsa(["kid": "a", "alg": "RS384"]), IssuerKey.p384JWK(adding: ["kid": "b"]),
            IssuerKey.p521JWK(adding: ["kid": "c", "alg": "ES512"]))
        for (keyID, algorithm) in [("a", "RS384"), ("b", "ES384"), ("c", "ES512")] {
            #expect(try keys.key(for: header(keyID, algorithm)).algorithm == algorithm)
        }
        for (keyID, algorithm) in [
            ("a", "RS256"), ("a", "ES384"), ("b", "ES512"), ("d", "RS384"), ("A", "RS384"),
            ("", "RS384"), ("a", "HS256"),
        ] {
            #expect(refusal { try keys.key(for: header(keyID, algorithm)) } == .untrusted)
        }
        #expect(refusal { try keys.key(for: header(nil, "RS384")) } == .untrusted)
    }

    @Test func `an RSA key without alg verifies RS256 alone, an elliptic one what its curve does`()
        throws
    {
        let keys = try set(
            rsa(["kid": "a", "alg": .none]), IssuerKey.p521JWK(adding: ["kid": "b"]),
            jwk(RFC7515A3.jwk, changing: ["kid": "c", "d": .none]).members)
        #expect(try keys.key(for: header("a", "RS256")).algorithm == "RS256")
        #expect(refusal { try keys.key(for: header("a", "RS512")) } == .untrusted)
        #expect(try keys.key(for: header("b", "ES512")).algorithm == "ES512")
        #expect(try keys.key(for: header("c", "ES256")).algorithm == "ES256")
    }

    @Test func `keys that can't verify are left out, whatever is wrong with them`() throws {
        let other = Data(
            #"""
            {"keys":[null,7,"key",[],{},{"kty":7},{"kty":"OKP","crv":"Ed25519","x":"AA","kid":"a"},
             {"kty":"oct","k":"AQAB","alg":"HS256","kid":"a"},{"kty":"RSA","kid":"a"},
             {"kty":"RSA","n":"AQAB","e":"AQAB","kid":"a"}],"more":{"keys":[]}}
            """#.utf8)
        let empty = try JWKSet(parsing: other)
        #expect(refusal { try empty.key(for: header("a", "RS256")) } == .untrusted)
        let keys = try set(
            rsa(["kid": "a", "use": "enc"]), rsa(["kid": "a", "alg": "RSA-OAEP"]),
            rsa(["kid": "a", "d": "AQAB"]), rsa(["kid": .none]), rsa(["kid": 7]),
            rsa(["kid": "a", "key_ops": ["encrypt"]]), rsa(["kid": "a", "alg": "PS256"]),
            rsa(["kid": "a", "n": "AQAB"]), rsa(["kid": "a"]))
        #expect(try keys.key(for: header("a", "RS256")).algorithm == "RS256")
    }

    @Test func `two keys of one kid and alg are none`() throws {
        let keys = try set(
            rsa(["kid": "a"]), rsa(["kid": "a"]), rsa(["kid": "a", "alg": "RS512"]))
        #expect(refusal { try keys.key(for: header("a", "RS256")) } == .untrusted)
        #expect(try keys.key(for: header("a", "RS512")).algorithm == "RS512")
    }

    @Test(arguments: [
        "", "[]", "{}", "null", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":[],"keys":[]}"#,
        #"{"keys":[]} "# + "x", #"{"KEYS":[]}"#,
    ])
    func `what is no set is refused`(text: String) {
        #expect(refusal { try JWKSet(parsing: Data(text.utf8)) } == .malformed)
    }

    @Test func `a set larger than 256 KiB is refused`() throws {
        let padding = String(repeating: " ", count: 256 * 1024)
        #expect(
            refusal { try JWKSet(parsing: Data((padding + #"{"keys":[]}"#).utf8)) } == .malformed)
    }
}

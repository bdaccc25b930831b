import Crypto
import Foundation
import PushCore
import PushJOSE
import Testing

struct JWKTests {
    private func publicJWK(changing changes: [String: JSON?] = [:]) throws -> JWK {
        try jwk(RFC7515A3.jwk, changing: changes.merging(["d": .none]) { mine, _ in mine })
    }

    private func outcome(_ changes: [String: JSON?]) throws -> PushError.Code? {
        let key = try publicJWK(changing: changes)
        return refusal { try ES256PublicKey(key) }
    }

    @Test func `a public key is read and written`() throws {
        let key = try ES256PublicKey(try publicJWK())
        _ = try UnverifiedJWS(parsing: RFC7515A3.jws).verified(by: key)
        let written = try key.jwk(adding: ["kid": "1", "use": "sig", "kty": "oct", "x": "AA"])
        #expect(written.members["x"]?.string == "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
        #expect(written.members["y"]?.string == "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        #expect(written.members.members.map(\.name) == ["kty", "crv", "x", "y", "kid", "use"])
        #expect(try ES256PublicKey(written).key.rawRepresentation == key.key.rawRepresentation)
    }

    @Test func `a private key is read and written, and never printed`() throws {
        let key = try ES256PrivateKey(privateJWK: try jwk(RFC7515A3.jwk))
        let written = try key.privateJWK(adding: ["alg": "ES256"])
        #expect(written.members["d"] == (try jwk(RFC7515A3.jwk)).members["d"])
        let number = try jwk(RFC7515A3.jwk).secret("d")
        #expect(key.secret.isEqualInConstantTime(to: number))
        #expect(
            try ES256PrivateKey(privateJWK: written).key.rawRepresentation
                == key.key.rawRepresentation)
        var dumped = ""
        dump(written, to: &dumped)
        #expect("\(written) \(String(reflecting: written)) \(dumped)" == "<jwk> <jwk> - <jwk>\n")
    }

    @Test func `a shared key is read and written`() throws {
        let key = try HS256Key(try jwk(RFC7515A1.jwk), for: [.sign, .verify])
        #expect(try key.secretJWK().members == (try jwk(RFC7515A1.jwk)).members)
        let empty = try jwk(RFC7515A1.jwk, changing: ["k": ""])
        #expect(refusal { try HS256Key(empty, for: .verify) } == .malformed)
        let ec = try publicJWK()
        #expect(refusal { try HS256Key(ec, for: .verify) } == .untrusted)
        let padded = try jwk(RFC7515A1.jwk, changing: ["k": "Zg=="])
        #expect(refusal { try HS256Key(padded, for: .verify) } == .malformed)
    }

    @Test(arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func `a private member where a public key is expected is refused`(name: String) throws {
        #expect(try outcome([name: .some("AA")]) == .untrusted)
        #expect(try outcome([name: .some(.null)]) == .untrusted)
        let rsa = try jwk(RFC7638.jwk, changing: [name: "AA"])
        let code = refusal {
            try rsa.check(.verify, keyType: "RSA", algorithm: "RS256")
        }
        #expect(code == .untrusted)
    }

    @Test func `use, key_ops and alg are respected`() throws {
        for (changes, expected) in [
            (["use": "sig"], nil), (["use": "enc"], .untrusted), (["use": ""], .untrusted),
            (["use": "SIG"], .untrusted), (["alg": "ES256"], nil), (["alg": "ES384"], .untrusted),
            (["alg": "es256"], .untrusted), (["alg": "HS256"], .untrusted),
            (["alg": ""], .untrusted),
            (["key_ops": ["verify"]], nil), (["key_ops": ["sign", "verify"]], nil),
            (["key_ops": ["sign"]], .untrusted), (["key_ops": []], .untrusted),
            (["key_ops": ["encrypt"]], .untrusted),
            (["use": "sig", "key_ops": ["sign"]], .untrusted),
            (["use": "enc", "key_ops": ["verify"]], .untrusted),
        ] as [([String: JSON], PushError.Code?)] {
            #expect(try outcome(changes.mapValues { .some($0) }) == expected, "\(changes)")
        }
    }

    @Test func `a key for encryption neither signs nor verifies, as in RFC 7517 appendix A.2`()
        throws
    {
        let key = try jwk(RFC7517A2.jwk)
        #expect(key.keyID == "1")
        #expect(refusal { try ES256PrivateKey(privateJWK: key) } == .untrusted)
        let open = try jwk(RFC7517A2.jwk, changing: ["d": .none])
        #expect(refusal { try ES256PublicKey(open) } == .untrusted)
        let free = try jwk(RFC7517A2.jwk, changing: ["use": .none])
        _ = try ES256PrivateKey(privateJWK: free)
    }

    @Test func `a signing key must be allowed to sign`() throws {
        for (operations, expected) in [
            (["sign"], nil), (["verify"], .untrusted), ([], .untrusted),
        ] as [(JSON, PushError.Code?)] {
            let key = try jwk(RFC7515A3.jwk, changing: ["key_ops": operations])
            #expect(refusal { try ES256PrivateKey(privateJWK: key) } == expected)
            let shared = try jwk(RFC7515A1.jwk, changing: ["key_ops": operations])
            #expect(refusal { try HS256Key(shared, for: .sign) } == expected)
            #expect(refusal { try HS256Key(shared, for: [.sign, .verify]) } == .untrusted)
        }
    }

    @Test func `another type or curve is refused`() throws {
        #expect(try outcome(["kty": "RSA"]) == .untrusted)
        #expect(try outcome(["kty": "ec"]) == .untrusted)
        #expect(try outcome(["crv": "P-384"]) == .untrusted)
        #expect(try outcome(["crv": .none]) == .untrusted)
        #expect(try outcome(["crv": 256]) == .malformed)
    }

    @Test func `coordinates are 32 bytes of strict base64url`() throws {
        let x = try Base64.bytes(from: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", as: .url)
        for name in ["x", "y"] {
            for wrong: JSON? in [
                nil, .null, "", 7, "AA", .string(Base64.encode(Array(x.dropLast()), as: .url)),
                .string(Base64.encode([0] + x, as: .url)), .string(Base64.encode(x)),
                .string(Base64.encode([4] + x + x, as: .url)),
                "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEV",
                "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU ",
            ] {
                #expect(try outcome([name: wrong]) == .malformed, "\(name)")
            }
        }
    }

    @Test func `one coordinate can't lend the other a byte`() throws {
        let x = try Base64.bytes(from: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", as: .url)
        let y = try Base64.bytes(from: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", as: .url)
        let shorter = JSON.string(Base64.encode(Array(x.dropLast()), as: .url))
        let longer = JSON.string(Base64.encode(x.suffix(1) + y, as: .url))
        #expect(try outcome(["x": shorter, "y": longer]) == .malformed)
    }

    @Test func `a point off the curve is refused`() throws {
        let zero = Base64.encode([UInt8](repeating: 0, count: 32), as: .url)
        let most = Base64.encode([UInt8](repeating: 0xFF, count: 32), as: .url)
        #expect(try outcome(["y": .string(zero)]) == .malformed)
        #expect(try outcome(["x": .string(zero), "y": .string(zero)]) == .malformed)
        #expect(try outcome(["x": .string(most)]) == .malformed)
        var y = try Base64.bytes(from: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", as: .url)
        y[31] ^= 1
        #expect(try outcome(["y": .string(Base64.encode(y, as: .url))]) == .malformed)
    }

    @Test func `the halves of a private key belong together, and its number is in range`() throws {
        let other = try jwk(RFC7517A2.jwk).members
        let foreign = try jwk(RFC7515A3.jwk, changing: ["d": other["d"]])
        #expect(refusal { try ES256PrivateKey(privateJWK: foreign) } == .malformed)
        let order = try Base64.bytes(from: "/////wAAAAD//////////7zm+q2nF56E87nKwvxjJVE=")
        for number in [[UInt8](repeating: 0, count: 32), order, [1], [0] + order] {
            let text = JSON.string(Base64.encode(number, as: .url))
            let key = try jwk(RFC7515A3.jwk, changing: ["d": text])
            #expect(refusal { try ES256PrivateKey(privateJWK: key) } == .malformed)
        }
        let open = try publicJWK()
        #expect(refusal { try ES256PrivateKey(privateJWK: open) } == .malformed)
    }

    @Test(arguments: [
        "{}", "[]", "", "null", #"{"kty":1}"#, #"{"kty":""}"#, #"{"kty":"EC","kty":"EC"}"#,
        #"{"kty":"EC","kid":1}"#, #"{"kty":"EC","use":1}"#, #"{"kty":"EC","alg":null}"#,
        #"{"kty":"EC","key_ops":"verify"}"#, #"{"kty":"EC","key_ops":[1]}"#,
        #"{"kty":"EC","key_ops":["verify","verify"]}"#, #"{"kty":"EC","key_ops":null}"#,
    ]) func `what isn't a JWK is refused`(text: String) {
        #expect(refusal { try JWK(parsing: Data(text.utf8)) } == .malformed)
    }

    @Test func `a plugin reads an RSA key's members itself`() throws {
        let key = try jwk(RFC7638.jwk)
        try key.check(.verify, keyType: "RSA", algorithm: "RS256")
        #expect(try key.bytes("n").count == 256)
        #expect(try key.bytes("e") == Data([1, 0, 1]))
        #expect(refusal { try key.bytes("d") } == .malformed)
        let code = refusal {
            try key.check(.verify, keyType: "RSA", algorithm: "PS256")
        }
        #expect(code == .untrusted)
    }
}

import Crypto
import ExternalTool
import Foundation
import PushCore
import PushJOSE
import Testing

/// Python's `cryptography` reads what we write, and the other way round.
@Suite(.enabled(if: ExternalTool.hasCryptography)) struct PythonInteropTests {
    private static let common = """
        import base64, hashlib, hmac, json, sys
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.asymmetric.utils import (
            encode_dss_signature, decode_dss_signature)
        from cryptography.hazmat.primitives.hashes import SHA256
        def enc(b): return base64.urlsafe_b64encode(b).decode().rstrip("=")
        def dec(t): return base64.urlsafe_b64decode(t + "=" * (-len(t) % 4))
        def num(b): return int.from_bytes(b, "big")
        def thumbprint(j):
            members = {n: j[n] for n in ("crv", "kty", "x", "y")}
            text = json.dumps(members, separators=(",", ":"), sort_keys=True)
            return enc(hashlib.sha256(text.encode()).digest())
        given = json.load(sys.stdin)

        """

    private func run(_ script: String, given: JSON) throws -> JSON {
        let output = ExternalTool.python.run(["-c", Self.common + script], input: given.data)
        return try JSON(parsing: try #require(output))
    }

    @Test func `Python verifies our ES256 JWS and finds the same thumbprint`() throws {
        let key = ES256PrivateKey(P256.Signing.PrivateKey())
        let jwk = try key.publicKey.jwk()
        let jws = try key.compactJWS(of: Data(#"{"acme":"é"}"#.utf8), header: ["kid": "1"])
        let result = try run(
            """
            head, body, signature = given["jws"].split(".")
            x, y = num(dec(given["jwk"]["x"])), num(dec(given["jwk"]["y"]))
            key = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
            raw = dec(signature)
            assert len(raw) == 64
            der = encode_dss_signature(num(raw[:32]), num(raw[32:]))
            key.verify(der, (head + "." + body).encode(), ec.ECDSA(SHA256()))
            print(json.dumps({"header": json.loads(dec(head)), "payload": json.loads(dec(body)),
                "thumbprint": thumbprint(given["jwk"])}))
            """, given: ["jws": .string(jws), "jwk": .object(jwk.members)])
        #expect(result["header"] == ["alg": "ES256", "kid": "1"])
        #expect(result["payload"] == ["acme": "é"])
        #expect(result["thumbprint"]?.string == (try jwk.thumbprint()))
    }

    @Test func `we verify an ES256 JWS that Python made`() throws {
        let result = try run(
            """
            key = ec.generate_private_key(ec.SECP256R1())
            point = key.public_key().public_numbers()
            jwk = {"kty": "EC", "crv": "P-256", "x": enc(point.x.to_bytes(32, "big")),
                "y": enc(point.y.to_bytes(32, "big")), "use": "sig"}
            head = enc(json.dumps({"typ": "JWT", "alg": "ES256", "kid": thumbprint(jwk)}).encode())
            text = head + "." + enc(json.dumps(given).encode())
            r, s = decode_dss_signature(key.sign(text.encode(), ec.ECDSA(SHA256())))
            jws = text + "." + enc(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
            print(json.dumps({"jwk": jwk, "jws": jws}))
            """, given: ["acme": "é"])
        let jwk = try JWK(try #require(result["jwk"]?.object))
        let jwt = try UnverifiedJWT(parsing: try #require(result["jws"]?.string))
            .verified(by: try ES256PublicKey(jwk))
        #expect(jwt.claims == ["acme": "é"])
        #expect(jwt.header.keyID == (try jwk.thumbprint()))
    }

    @Test(arguments: [1, 16, 32, 64, 65, 131])
    func `Python and we agree on HS256`(keyLength: Int) throws {
        var generator = SeededGenerator(seed: UInt64(keyLength))
        let key = HS256Key(Secret(generator.bytes(keyLength)))
        let ours = try key.compactJWS(of: Data(#"{"acme":1}"#.utf8))
        let result = try run(
            """
            key = dec(given["k"])
            def mac(text): return enc(hmac.new(key, text.encode(), hashlib.sha256).digest())
            text, signature = given["jws"].rsplit(".", 1)
            assert mac(text) == signature
            text = enc(b'{"alg":"HS256"}') + "." + enc(b'{"acme":2}')
            print(json.dumps(text + "." + mac(text)))
            """, given: ["k": try #require(try key.secretJWK().members["k"]), "jws": .string(ours)])
        let theirs = try UnverifiedJWT(parsing: try #require(result.string))
        #expect(try theirs.verified(by: key).claims == ["acme": 2])
    }
}

import Crypto
import ExternalTool
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

/// The same envelopes, digests and tokens by Python and its `cryptography` package, written without
/// the plugin's code.
@Suite(.enabled(if: ExternalTool.hasCryptography)) struct EnvelopeInteropTests {
    /// The server's side; `p` holds what the server knows, `r` what it received.
    private static let prelude = """
        import base64, hashlib, hmac, json, struct, sys
        from cryptography.hazmat.primitives import hashes, padding
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
        from cryptography.hazmat.primitives.kdf.x963kdf import X963KDF
        def d(s): return base64.b64decode(s, validate=True)
        def e(b): return base64.b64encode(b).decode()
        def u(b): return base64.urlsafe_b64encode(b).decode().rstrip("=")
        def mac(k, m): return hmac.new(k, m, hashlib.sha256).digest()
        def fold(b): return bytes(x ^ y for x, y in zip(b[:16], b[16:]))
        def sized(*parts): return b"".join(struct.pack(">I", len(x)) + x for x in parts)
        def aes(keys, nonce):
            iv = fold(mac(keys[32:48], nonce))
            return Cipher(algorithms.AES(keys[:16]), modes.CBC(iv))
        p = json.load(sys.stdin)
        version, secret = p["version"], p["secret"].encode()
        """

    private static let exchange = """
        r = p["request"]
        expected = {"ephemeralPublicKey", "encryptedData", "mac", "nonce"}
        if version >= "3.2": expected |= {"timestamp"}
        if version >= "3.3": expected |= {"temporaryKeyId"}
        assert set(r) == expected
        ephemeral, data, nonce = (
            d(r[n]) for n in ("ephemeralPublicKey", "encryptedData", "nonce"))
        key = ec.derive_private_key(int.from_bytes(d(p["private"]), "big"), ec.SECP256R1())
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), ephemeral)
        info = (version if version >= "3.2" else "").encode() + p["info"].encode() + ephemeral
        keys = X963KDF(hashes.SHA256(), 48, info).derive(key.exchange(ec.ECDH(), point))
        base = hashlib.sha256(secret).digest()
        if "activation" in p: base = mac(d(p["transport"]), secret)
        aad = [version, p["application"]]
        if "activation" in p: aad.append(p["activation"])
        if version >= "3.3":
            assert r["temporaryKeyId"] == p["keyID"]
            aad.append(r["temporaryKeyId"])
        aad = sized(*(x.encode() for x in aad))
        def covered(nonce, time, ephemeral):
            if version < "3.2": return base
            return sized(base, nonce, struct.pack(">Q", time), ephemeral, aad)
        assert len(nonce) == 16 and r.get("timestamp", p["time"]) == p["time"]
        assert mac(keys[16:32], data + covered(nonce, p["time"], ephemeral)) == d(r["mac"])
        opener = aes(keys, nonce).decryptor()
        unpadder = padding.PKCS7(128).unpadder()
        plain = unpadder.update(opener.update(data) + opener.finalize()) + unpadder.finalize()
        answer = {}
        if version >= "3.2":
            nonce = bytes(range(50, 66))
            answer = {"nonce": e(nonce), "timestamp": p["time"] + 77}
        padder = padding.PKCS7(128).padder()
        sealer = aes(keys, nonce).encryptor()
        text = padder.update(b"answer to " + plain) + padder.finalize()
        data = sealer.update(text) + sealer.finalize()
        code = mac(keys[16:32], data + covered(nonce, p["time"] + 77, b""))
        answer |= {"encryptedData": e(data), "mac": e(code)}
        print(json.dumps({"plain": e(plain), "answer": answer}))
        """

    private func python(_ script: String, _ input: JSON) -> String? {
        ExternalTool.python.run(["-c", Self.prelude + "\n" + script], input: input.data)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// What a server of the examples' application knows.
    private func knowledge(
        _ version: PowerAuthVersion, inActivation: Bool
    ) throws -> JSON.Object {
        var known: JSON.Object = [
            "version": .string(version.rawValue), "secret": "5to+u5pcUeAl7GPu7fNmug==",
            "application": "lbNrg+B157tbojC487941A==", "time": 1_723_109_505_420,
        ]
        if inActivation {
            known["activation"] = .string(Wire.activationID)
            known["transport"] = .string(Wire.transportKey)
        }
        return known
    }

    @Test(arguments: versionsAndScopes)
    func `Python opens our requests, and we open Python's answers`(
        version: PowerAuthVersion, inActivation: Bool
    ) throws {
        let key = try Wire.privateKey(7)
        let id = version == .v3_3 ? "D3D82A6B-47CF-4225-BBE5-BAD96FB84CA4" : nil
        let encryptor = try RequestEncryptor(
            version: version, scope: Wire.scope(inActivation: inActivation),
            key: EncryptionKey(id: id, publicKey: Wire.point(key)),
            sharedInfo1: "/pa/token/create", random: SystemRandom())
        for length in [0, 16, 333] {
            let plain = SystemRandom().bytes(length)
            let (request, opener) = try encryptor.seal(
                plain, timestamp: Date(timeIntervalSince1970: 1_723_109_505.420))
            var known = try knowledge(version, inActivation: inActivation)
            known["request"] = request
            known["private"] = .string(Wire.base64(key.rawRepresentation))
            known["info"] = "/pa/token/create"
            known["keyID"] = id.map { .string($0) }
            let output = try #require(python(Self.exchange, .object(known)))
            let reply = try JSON(parsing: output)
            #expect(plain.withBytes { Wire.base64($0) } == reply["plain"]?.string)
            let answer = try opener.open(#require(reply["answer"]))
            let expected = Secret(Array("answer to ".utf8) + plain.withBytes { Array($0) })
            #expect(answer.isEqualInConstantTime(to: expected))
        }
    }

    @Test(arguments: PowerAuthVersion.allCases)
    func `Python writes the same header for a token`(version: PowerAuthVersion) throws {
        let script = """
            digest = d(p["nonce"]) + b"&" + str(p["time"]).encode()
            if version >= "3.2": digest += b"&" + version.encode()
            pairs = {
                "version": version, "token_id": "D6561669",
                "token_digest": e(mac(d(p["token"]), digest)), "nonce": p["nonce"],
                "timestamp": p["time"]}
            print("PowerAuth " + ", ".join(f'{n}="{v}"' for n, v in pairs.items()), end="")
            """
        for seed in UInt64(1)...3 {
            let random = SeededRandom(seed: seed)
            let secret = random.bytes(16)
            let nonce = random.bytes(16).withBytes { Array($0) }
            let time = Int64(random.next() % 4_000_000_000_000)
            var known = try knowledge(version, inActivation: true)
            known["time"] = .integer(time)
            known["nonce"] = .string(Wire.base64(nonce))
            known["token"] = .string(secret.withBytes { Wire.base64($0) })
            let header = try AccessToken(id: "D6561669", secret: secret)
                .header(version: version, nonce: nonce, timestamp: Date(unixMilliseconds: time))
            #expect(python(script, .object(known)) == header)
        }
    }

    @Test(arguments: [false, true])
    func `Python believes a request for a temporary key, and we believe its reply`(
        inActivation: Bool
    ) throws {
        let script = """
            head, body, code = p["token"].split(".")
            key = d(p["secret"])
            if "activation" in p: key = fold(mac(d(p["transport"]), key))
            assert u(mac(key, (head + "." + body).encode())) == code
            def read(part): return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
            assert read(head) == {"alg": "HS256", "typ": "JWT"}
            claims = read(body)
            assert claims.pop("applicationKey") == p["application"]
            assert claims.pop("activationId", None) == p.get("activation")
            assert len(d(claims.pop("challenge"))) == 18 and not claims
            key = ec.derive_private_key(int.from_bytes(d(p["private"]), "big"), ec.SECP256R1())
            claims = read(body) | {
                "sub": "key-1", "publicKey": p["public"], "iat": p["time"] // 1000,
                "iat_ms": p["time"], "exp": (p["time"] + 300000) // 1000,
                "exp_ms": p["time"] + 300000}
            text = u(json.dumps({"alg": "ES256"}).encode()) + "." + u(json.dumps(claims).encode())
            r, s = utils.decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
            print(text + "." + u(r.to_bytes(32, "big") + s.to_bytes(32, "big")), end="")
            """
        let request = TemporaryKeyRequest(
            try Wire.scope(inActivation: inActivation), random: SystemRandom())
        let signer = try Wire.privateKey(20)
        let temporary = try Wire.privateKey(21)
        var known = try knowledge(.v3_3, inActivation: inActivation)
        known["token"] = .string(try request.token())
        known["private"] = .string(Wire.base64(signer.rawRepresentation))
        known["public"] = .string(Wire.base64(temporary.publicKey.x963Representation))
        let jwt = try #require(python(script, .object(known)))
        let key = try request.key(from: jwt, signedBy: Wire.point(signer), sent: .zero)
        #expect(key.key.id == "key-1")
        #expect(try key.key.publicKey == Wire.point(temporary))
        #expect(key.end == .seconds(300))
    }
}

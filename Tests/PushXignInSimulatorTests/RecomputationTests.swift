import Crypto
import ExternalTool
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignInSimulator
import Testing

/// Envelopes, checked and made by programs that share no code with the simulator.
struct RecomputationTests {
    /// A whole personalization and login, with Python's `cryptography` as the device.
    private static let script = #"""
        import sys, json, base64, hashlib, hmac
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.asymmetric.utils import (
            decode_dss_signature, encode_dss_signature)
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
        from cryptography.hazmat.primitives import hashes
        def b(x): return base64.urlsafe_b64encode(x).rstrip(b"=").decode()
        def u(x): return base64.urlsafe_b64decode(x + "=" * (-len(x) % 4))
        es = ec.ECDSA(hashes.SHA256())
        i = json.load(sys.stdin)
        def sign(claims, typ, kid, d):
            h = b(json.dumps({"alg": "ES256", "typ": typ, "kid": kid}).encode())
            m = h + "." + b(json.dumps(claims).encode())
            r, s = decode_dss_signature(d.sign(m.encode(), es))
            return m + "." + b(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
        def verify(token, point):
            k = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), u(point))
            h, c, s = token.split(".")
            s = u(s)
            k.verify(encode_dss_signature(int.from_bytes(s[:32], "big"),
                int.from_bytes(s[32:], "big")), (h + "." + c).encode(), es)
            return json.loads(u(h)), json.loads(u(c))
        d = ec.derive_private_key(int.from_bytes(hashlib.sha256(b"python").digest(), "big"),
            ec.SECP256R1())
        n = d.public_key().public_numbers()
        jwk = {"crv": "P-256", "kty": "EC", "x": b(n.x.to_bytes(32, "big")),
            "y": b(n.y.to_bytes(32, "big"))}
        kid = b(hashlib.sha256(json.dumps(jwk, separators=(",", ":")).encode()).digest())
        idm = i["idm"]
        def derive(info, count):
            return HKDF(hashes.SHA256(), count, idm.encode(), info).derive(u(i["act"]))
        salt = bytes(range(16))
        pin = hashlib.pbkdf2_hmac("sha256", b"24680", salt, 1000, 32)
        def request(iss, jti, method, path, body, more={}):
            claims = {"iss": iss, "aud": idm, "jti": jti, "iat": i["now"], "exp": i["now"] + 60,
                "htm": method, "htu": path, "bh": b(hashlib.sha256(body.encode()).digest()),
                "api": {"min": "1.0.0", "max": "1.0.0"}}
            claims.update(more)
            return {"path": path, "body": body,
                "authorization": "OXRW " + sign(claims, "oxrw-req+jwt", kid, d)}
        if i["step"] == "personalize":
            sealed = b(bytes(12) + AESGCM(derive(b"OXRW1 act seal", 32)).encrypt(bytes(12),
                json.dumps({"salt": b(salt), "iterations": 1000, "verifier": b(pin)}).encode(),
                (idm + "\n" + kid).encode()))
            body = json.dumps({"device_key": jwk, "biometric_key": None, "pin_setup": sealed,
                "push_token": "python", "platform": "test", "alias": None})
            bh = b(hashlib.sha256(body.encode()).digest())
            mac = hmac.new(derive(b"OXRW1 act mac", 32),
                "\n".join(["OXRW1-ACT", idm, kid, "py-0", bh]).encode(), "sha256").digest()
            out = request(kid, "py-0", "POST", "/oxrw/v1/personalizations", body,
                {"act": b(derive(b"OXRW1 act id", 16)), "mac": b(mac)})
        elif i["step"] == "verify":
            h, c = verify(i["token"], i["mk"])
            out = {"header": h, "claims": c}
        elif i["step"] == "request":
            out = request(i["iss"], i["jti"], "POST", i["path"], i["body"])
        else:
            s = i["start"]
            a = sign({"iss": i["iss"], "aud": idm, "jti": "py-asr", "iat": i["now"],
                "exp": s["expires_at"], "pid": s["pid"], "svc": s["service"]["id"],
                "challenge": s["challenge"], "role": s["roles"][0]["id"], "decision": "approve",
                "attrs": [], "tx": b(hashlib.sha256(s["transaction"]["text"].encode()).digest())},
                "oxrw-asr+jwt", kid, d)
            proof = hmac.new(pin, "\n".join(["OXRW1-PIN", s["pid"], s["challenge"],
                b(hashlib.sha256(a.encode()).digest())]).encode(), "sha256").digest()
            out = request(i["iss"], "py-9", "POST", i["path"], json.dumps({"assertion": a,
                "factors": [{"type": "pin", "proof": b(proof)}]}))
        json.dump(out, sys.stdout)
        """#

    private func python(_ step: String, _ input: JSON.Object) throws -> JSON {
        var input = input
        input["step"] = .string(step)
        let output = try #require(
            ExternalTool.python.run(["-c", Self.script], input: JSON.object(input).data))
        return try JSON(parsing: output)
    }

    @Test(.enabled(if: ExternalTool.hasCryptography))
    func `a device made of Python's cryptography personalizes, reads a push and logs in`()
        async throws
    {
        let bench = Bench { $0.transaction = "Pay 1 EUR" }
        let link = await bench.manager.personalizationLink(for: "jane")
        let json = try JSON(
            parsing: try data(base64url: String(link.dropFirst(21))))
        let mk = try #require(json["mk"])
        var input = try #require(json.object)
        input["now"] = .number(.init(bench.now))

        func exchange(_ step: String, _ more: JSON.Object = [:]) async throws -> JSON {
            var all = input
            for member in more.members { all[member.name] = member.value }
            let made = try python(step, all)
            let request = HTTPRequest(
                method: .post, scheme: "https", authority: "manager.xignin.example",
                path: made["path"]?.string,
                headerFields: [.authorization: try #require(made["authorization"]?.string)])
            let answer = try await bench.send(request, Data((made["body"]?.string ?? "").utf8))
            #expect(answer.status == 200)
            let token = JSON.string(String(decoding: answer.body, as: UTF8.self))
            let read = try python("verify", ["token": token, "mk": mk, "idm": "", "now": 0])
            #expect(read["header"]?["typ"] == "oxrw-res+jwt")
            return try #require(read["claims"]?["data"])
        }

        let personalized = try await exchange("personalize")
        let activation = try #require(personalized["activation_id"])
        let (id, pushes) = try await bench.login()
        let push = try python(
            "verify", ["token": .string(pushes[0].text), "mk": mk, "idm": "", "now": 0])
        #expect(push["claims"]?["pid"]?.string == id)
        func call(_ name: String, _ jti: JSON, _ body: JSON) async throws -> JSON {
            try await exchange(
                "request",
                [
                    "iss": activation, "jti": jti, "body": .string(body.text),
                    "path": .string("/oxrw/v1/processes/\(id)/\(name)"),
                ])
        }
        let message = push["claims"]?["jti"] ?? .null
        let opened = try await call("initialization", "py-1", ["message_jti": message])
        let start = try await call("start", "py-2", ["nonce": opened["nonce"] ?? .null])
        let path = JSON.string("/oxrw/v1/processes/\(id)/finish")
        let finish = try await exchange(
            "finish", ["iss": activation, "start": start, "path": path])
        #expect(finish["result"]?["type"] == "user_login")
        #expect(try await bench.status(id) == .approved)
    }

    @Test(.enabled(if: ExternalTool.hasOpenSSL))
    func `OpenSSL verifies a push with the key from the link, and nothing else`() async throws {
        let bench = Bench()
        let phone = try await bench.personalized()
        let push = try #require(try await bench.login().pushes.first).token
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "oxrw-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = folder.appending(path: "key.pem")
        let signature = folder.appending(path: "signature.der")
        try Data(phone.managerKey.pemRepresentation.utf8).write(to: key)
        try P256.Signing.ECDSASignature(rawRepresentation: push.signature).derRepresentation
            .write(to: signature)
        let command = ["dgst", "-sha256", "-verify", key.path, "-signature", signature.path]
        #expect(ExternalTool.openSSL.run(command, input: push.signed) != nil)
        let altered = push.signed + Data("A".utf8)
        #expect(ExternalTool.openSSL.run(command, input: altered) == nil)
    }
}

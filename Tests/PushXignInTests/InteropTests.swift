import Crypto
import ExternalTool
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignIn
import Testing

/// What this plugin makes, judged by a program that knows nothing of our code.
@Suite struct InteropTests {
    /// Verifies a token with a raw public key, and prints its claims.
    private static let verify = """
        import base64, sys
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        from cryptography.hazmat.primitives import hashes
        d = lambda s: base64.urlsafe_b64decode(s + "=" * (-len(s) % 4))
        point, token = bytes.fromhex(sys.argv[1]), sys.argv[2]
        head, body, signature = token.split(".")
        raw = d(signature)
        assert len(raw) == 64
        der = utils.encode_dss_signature(
            int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        key.verify(der, f"{head}.{body}".encode(), ec.ECDSA(hashes.SHA256()))
        sys.stdout.write(d(body).decode())
        """

    private func python(_ script: String, _ arguments: [String]) throws -> String {
        let output = try #require(ExternalTool.python.run(["-c", script] + arguments))
        return String(decoding: output, as: UTF8.self)
    }

    @Test(.enabled(if: ExternalTool.hasCryptography))
    func `Python believes every request and assertion`() async throws {
        let harness = try await XignInHarness()
        let pid = try await harness.begin()
        #expect(try await harness.approve(pid) == .delivered)
        let key = try #require(
            await harness.manager.activations[WorkedExample.activation]?.deviceKey)
        let point = hex(key.x963Representation)
        let requests = await harness.manager.requests
        #expect(requests.count == 4)
        for request in requests {
            let token = String(request.authorization.dropFirst(5))
            let claims = try JSON(parsing: python(Self.verify, [point, token]))
            #expect(claims == .object(request.claims))
        }
        let assertion = try #require(requests.last?["assertion"]?.string)
        let claims = try JSON(parsing: python(Self.verify, [point, assertion]))
        #expect(claims["pid"] == .string(pid))
    }

    @Test(.enabled(if: ExternalTool.hasCryptography))
    func `Python opens the sealed envelope of the PIN, and finds what it computes itself`()
        async throws
    {
        let script = """
            import base64, hashlib, hmac, json, sys
            from cryptography.hazmat.primitives import hashes
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
            from cryptography.hazmat.primitives.kdf.hkdf import HKDF
            d = lambda s: base64.urlsafe_b64decode(s + "=" * (-len(s) % 4))
            e = lambda b: base64.urlsafe_b64encode(b).decode().rstrip("=")
            secret, idm, pin = bytes.fromhex(sys.argv[1]), sys.argv[2], sys.argv[3]
            claims, body = json.loads(sys.argv[4]), sys.argv[5].encode()
            def derive(purpose, count):
                return HKDF(hashes.SHA256(), count, idm.encode(), f"OXRW1 act {purpose}".encode()
                    ).derive(secret)
            assert claims["act"] == e(derive("id", 16))
            assert claims["bh"] == e(hashlib.sha256(body).digest())
            text = "\\n".join(["OXRW1-ACT", idm, claims["iss"], claims["jti"], claims["bh"]])
            mac = hmac.new(derive("mac", 32), text.encode(), hashlib.sha256).digest()
            assert claims["mac"] == e(mac)
            sealed = d(json.loads(body)["pin_setup"])
            aad = f"{idm}\\n{claims['iss']}".encode()
            setup = json.loads(AESGCM(derive("seal", 32)).decrypt(sealed[:12], sealed[12:], aad))
            key = hashlib.pbkdf2_hmac("sha256", pin.encode(), d(setup["salt"]), setup["iterations"])
            assert setup["verifier"] == e(key) and len(d(setup["salt"])) == 16
            print("agreed", end="")
            """
        let manager = Manager(time: ManualClock(Date(WorkedExample.personalized)))
        let phone = try Phone([manager])
        let secret = sha256("a secret nobody guesses".utf8)
        try await phone.enroll(await manager.link(secret: secret))
        let request = try #require(await manager.requests.first)
        let output = try python(
            script,
            [
                hex(secret), WorkedExample.idm, WorkedExample.pin, JSON.object(request.claims).text,
                String(decoding: request.body, as: UTF8.self),
            ])
        #expect(output == "agreed")
    }

    @Test(.enabled(if: ExternalTool.hasCryptography))
    func `a push that Python signed is believed`() async throws {
        let script = """
            import base64, sys
            from cryptography.hazmat.primitives.asymmetric import ec, utils
            from cryptography.hazmat.primitives import hashes
            e = lambda b: base64.urlsafe_b64encode(b).decode().rstrip("=")
            key = ec.derive_private_key(int(sys.argv[1], 16), ec.SECP256R1())
            text = f"{e(sys.argv[2].encode())}.{e(sys.argv[3].encode())}"
            r, s = utils.decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
            print(f"{text}.{e(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}", end="")
            """
        let harness = try await XignInHarness()
        let push = await harness.manager.push("prc-of-python", to: WorkedExample.activation)
        let token = try python(
            script,
            [
                hex(harness.manager.key.rawRepresentation), JSON.object(push.header).text,
                JSON.object(push.claims).text,
            ])
        #expect(try await harness.phone.handle(Push.data(token))?.processId == "prc-of-python")
    }
}

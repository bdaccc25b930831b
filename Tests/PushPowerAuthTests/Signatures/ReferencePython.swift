import ExternalTool
import Foundation
import PushCore

/// Keys and signatures in Python, by the libraries there alone.
enum ReferencePython {
    private static let prelude = """
        import base64, hashlib, hmac, json, sys
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
        d, e = base64.b64decode, lambda b: base64.b64encode(bytes(b)).decode()
        def fold(b):
            assert len(b) == 32
            return bytes(x ^ y for x, y in zip(b[:16], b[16:]))
        def mac(k, m): return hmac.new(k, m, hashlib.sha256).digest()
        def cbc(k, iv, m):
            c = Cipher(algorithms.AES(k), modes.CBC(iv)).encryptor()
            return c.update(m) + c.finalize()
        def uncbc(k, iv, m):
            c = Cipher(algorithms.AES(k), modes.CBC(iv)).decryptor()
            return c.update(m) + c.finalize()
        def pad(m): return m + bytes([16 - len(m) % 16]) * (16 - len(m) % 16)
        def sized(*parts): return b"".join(len(p).to_bytes(4, "big") + p for p in parts)
        def x963(z, info): return b"".join(hashlib.sha256(
            z + n.to_bytes(4, "big") + info).digest() for n in (1, 2))[:48]
        def unurl(t): return base64.urlsafe_b64decode(t + "=" * (-len(t) % 4))
        def dss(b): return utils.encode_dss_signature(
            int.from_bytes(b[:32], "big"), int.from_bytes(b[32:], "big"))
        def kdf(k, i): return cbc(k, bytes(16), bytes(8) + i.to_bytes(8, "big"))
        def step(c): return fold(hashlib.sha256(c).digest())
        def private(b): return ec.derive_private_key(int.from_bytes(b, "big"), ec.SECP256R1())
        def point(b): return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b)
        def components(keys, c, data):
            h, out = [mac(k, c) for k in keys], []
            for i in range(len(keys)):
                x = h[i]
                for j in range(i): x = mac(h[j + 1], x)
                out.append(mac(x, data))
            return out
        def decimal(b, n): return str((int.from_bytes(b[-4:], "big") & 0x7fffffff) % 10 ** n).zfill(n)
        def normalized(method, uri, nonce, body, secret):
            return "&".join([method, e(uri.encode()), e(nonce), e(body), secret]).encode()
        cases = json.load(sys.stdin)
        """

    /// Runs a script over cases, each of which it has as `x`.
    ///
    /// `expression` is what it answers of each, a text.
    static func answers(_ expression: String, for cases: [JSON]) -> [String]? {
        let script = prelude + "\nprint(json.dumps([(\(expression)) for x in cases]), end='')"
        let input = JSON.array(cases).data
        return ExternalTool.python.run(["-c", script], input: input)
            .flatMap { try? JSON(parsing: $0, limits: .init(bytes: $0.count)).array }?
            .compactMap(\.string)
    }
}

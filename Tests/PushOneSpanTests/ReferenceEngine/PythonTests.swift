import ExternalTool
import Foundation
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

/// A program of another language and another library, written from
/// `docs/vendors/onespan-ooc.md` alone, opens what the plugin sent: the whole session from its
/// first byte to a signed transaction.
@Suite(.enabled(if: ExternalTool.hasCryptography), .timeLimit(.minutes(10)))
struct PythonTests {
    @Test(arguments: [false, true])
    func `Python opens a session, and verifies what it says`(hasBiometry: Bool) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        let site = Site(seed: seed)
        var setup = OneSpanHarness.Setup()
        setup.hasBiometry = hasBiometry
        let handset = try await OneSpanHarness(site, setup: setup)
        let password = try await site.password()
        let enrollment = try await handset.join(password: password)
        let request = try await site.transaction()
        #expect(try await handset.approve(request) == .delivered)

        // The server's secrets, drawn in the order that the simulator documents.
        let random = SeededRandom(seed: seed)
        let staticKey = random.bytes(32).bytesForTest
        _ = (random.bytes(7), random.bytes(16))
        let ephemeral = random.bytes(32).bytesForTest
        let exchanges = await site.server.exchanges
        let input: JSON = [
            "static": .string(OOC.hex(staticKey)),
            "ephemeral": .string(OOC.hex(ephemeral)),
            "domain": .string(Sample.domain), "user": .string(Sample.user),
            "password": .string(password),
            "session": .array(
                exchanges.flatMap { exchange -> [JSON] in
                    [exchange.command, exchange.reply].compactMap {
                        ($0?.hex).map(JSON.string)
                    }
                }),
        ]
        let output = try #require(
            ExternalTool.python.run(["-c", Self.program], input: input.data))
        let read = try JSON(parsing: output)
        #expect(read["user"]?.string == Sample.user)
        #expect(read["device"]?.string == enrollment.id.name)
        #expect(read["methods"]?.array?.count == (hasBiometry ? 3 : 2))
        #expect(read["confirmed"]?.bool == true)
        #expect(read["activated"]?.bool == true)
        let identifier = try #require(read["identifier"]?.string)
        #expect(identifier.hasPrefix(OOC.hex(Array("ONI1".utf8))))
        #expect(read["request"]?.string == request)
        #expect(read["decision"]?.integer == 1)
        #expect(read["method"]?.integer == 1)
        #expect(read["signature"]?.bool == true)
        #expect(read["response"]?.bool == true)
        #expect(read["digest"]?.bool == true)
    }

    private static let program = """
        import hashlib, hmac, json, struct, sys
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        given = json.load(sys.stdin)
        curve = ec.SECP256R1()
        def private(text): return ec.derive_private_key(int(text, 16), curve)
        def point(data): return ec.EllipticCurvePublicKey.from_encoded_point(curve, data)
        def raw(key): return key.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint)
        def sha(*parts): return hashlib.sha256(b''.join(parts)).digest()
        def mac(key, *parts): return hmac.new(key, b''.join(parts), 'sha256').digest()
        def expand(key, *info): return mac(key, *info, b'\\x01')
        def hkdf(ikm, salt, *info): return expand(mac(salt, ikm), *info)
        def dh(key, data): return key.exchange(ec.ECDH(), point(data))

        class Message:
            def __init__(self, text):
                self.all = bytes.fromhex(text)
                self.header = self.all[:52]
                assert self.all[:5] == b'OOC1\\x01'
                self.type, self.flags, self.epoch = self.all[5:8]
                self.flow, self.counter = self.all[24:40], self.all[40:48]
                self.principal = self.all[8:24]
                size = struct.unpack('>I', self.all[48:52])[0]
                start = 117 if self.flags & 2 else 52
                self.key = self.all[52:start]
                assert len(self.all) == start + size + 16
                self.sealed = self.all[start:]
            def open(self, key):
                body = AESGCM(key).decrypt(bytes(12), self.sealed, self.header + self.key)
                tags, last, at = {}, -1, 0
                while at < len(body):
                    tag, size = struct.unpack('>HH', body[at:at + 4])
                    assert tag > last and at + 4 + size <= len(body)
                    tags[tag], last, at = body[at + 4:at + 4 + size], tag, at + 4 + size
                return tags

        S, eS = private(given['static']), private(given['ephemeral'])
        domain, user = given['domain'].encode(), given['user'].encode()
        session = [Message(text) for text in given['session']]
        c1, s1, c2, s2, m5, m6, m7, m8, m10, m11, m31, m32, m33, m34 = session
        assert c1.principal == sha(b'OOC1 reg\\0', domain, b'\\0', user)[:16]
        counted = lambda text: struct.pack('>H', len(text)) + text
        th0 = sha(b'OOC1 transcript\\0', counted(domain), counted(user), raw(S))
        es, ee = dh(S, c1.key), dh(eS, c1.key)
        hello = c1.open(hkdf(es, th0, b'OOC1 act C1', c1.header))
        th1 = sha(th0, c1.all)
        s1.open(hkdf(es + ee, th1, b'OOC1 act S1', s1.header))
        th2 = sha(th1, s1.all)
        pw = given['password'].encode()
        mk = hkdf(es + ee + bytes([len(pw)]) + pw, th2, b'OOC1 act master')
        proof = c2.open(expand(mk, b'OOC1 act C2', c2.header))
        th3 = sha(th2, c2.all)
        instances = s2.open(expand(mk, b'OOC1 act S2', s2.header))
        th4 = sha(th3, s2.all)
        device = instances[0x0A]
        rk = hkdf(mk, th4, b'OOC1 root', device)
        up = expand(rk, b'OOC1 d2s', device, b'\\x01')
        down = expand(rk, b'OOC1 s2d', device, b'\\x01')
        def plain(key, message): return message.open(expand(key, b'OOC1 msg', message.header))
        def doubly(message):
            return message.open(hkdf(dh(S, message.key), up, b'OOC1 msg', message.header))
        keys = {}
        packed = proof[0x07]
        for index in range(packed[0]):
            start = 1 + 33 * index
            keys[packed[start]] = packed[start + 1:start + 33]
        def confirm(method, challenge):
            return mac(keys[method], b'OOC1 confirm\\0', device, bytes([method]), challenge)
        first = plain(up, m5)
        confirmed = first[0x29] == confirm(0, instances[0x23])
        if 2 in keys: confirmed &= first[0x2E] == confirm(2, instances[0x23])
        else: confirmed &= 0x2E not in first
        again = plain(down, m6)
        last = doubly(m7)
        confirmed &= last[0x29] == confirm(1, again[0x23])
        signing = point(proof[0x06])
        def verified(signature, *parts):
            half = [int.from_bytes(part, 'big') for part in (signature[:32], signature[32:])]
            try:
                signing.verify(
                    utils.encode_dss_signature(*half), b''.join(parts),
                    ec.ECDSA(hashes.SHA256()))
                return True
            except Exception:
                return False
        plain(down, m8)
        identifier = plain(up, m10)[0x10].decode()
        fetch, shown, answer = plain(up, m31), plain(down, m32), doubly(m33)
        assert m31.flow == m33.flow and m31.flow != m10.flow
        digest = sha(shown[0x24], shown.get(0x25, b''))
        tbs = b''.join([
            b'OOC1 answer\\0', device, m33.flow, b'\\x02', counted(answer[0x20]),
            shown[0x23], answer[0x26], answer[0x27], digest, m33.counter])
        print(json.dumps({
            'user': hello[0x02].decode(), 'device': device.hex(),
            'methods': sorted(keys), 'confirmed': confirmed,
            'activated': verified(last[0x2A], b'OOC1 activate\\0', device, th4),
            'identifier': identifier, 'request': answer[0x20].decode(),
            'decision': answer[0x26][0], 'method': answer[0x27][0],
            'digest': answer[0x28] == digest,
            'response': answer[0x29] == mac(keys[1], tbs),
            'signature': verified(answer[0x2A], tbs)}))
        """
}

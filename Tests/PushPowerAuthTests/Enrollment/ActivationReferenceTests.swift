import Crypto
import ExternalTool
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

/// Both layers of an activation, by Python and its `cryptography` package as the two servers: written
/// without the plugin's code.
@Suite(.enabled(if: ExternalTool.hasCryptography)) struct ActivationReferenceTests {
    /// Opens the outer envelope, then the inner one; answers with a server key and a counter, sealed
    /// twice.
    private static let server = """
        import base64, hashlib, hmac, json, struct, sys
        from cryptography.hazmat.primitives import hashes, padding
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
        from cryptography.hazmat.primitives.kdf.x963kdf import X963KDF
        def d(s): return base64.b64decode(s, validate=True)
        def e(b): return base64.b64encode(b).decode()
        def mac(k, m): return hmac.new(k, m, hashlib.sha256).digest()
        def fold(b): return bytes(x ^ y for x, y in zip(b[:16], b[16:]))
        def sized(*parts): return b"".join(struct.pack(">I", len(x)) + x for x in parts)
        p = json.load(sys.stdin)
        version = p["version"]
        private = lambda b: ec.derive_private_key(int.from_bytes(b, "big"), ec.SECP256R1())
        def aes(keys, nonce):
            return Cipher(algorithms.AES(keys[:16]), modes.CBC(fold(mac(keys[32:48], nonce))))
        def covered(nonce, time, ephemeral):
            base = hashlib.sha256(p["secret"].encode()).digest()
            if version < "3.2": return base
            aad = [version, p["application"]] + ([p["keyID"]] if version >= "3.3" else [])
            return sized(base, nonce, struct.pack(">Q", time), ephemeral,
                sized(*(x.encode() for x in aad)))
        def opened(r, info):
            names = {"ephemeralPublicKey", "encryptedData", "mac", "nonce"}
            if version >= "3.2": names |= {"timestamp"}
            if version >= "3.3": names |= {"temporaryKeyId"}
            assert set(r) == names and r.get("temporaryKeyId", "") == p["keyID"]
            ephemeral, data, nonce = (
                d(r[n]) for n in ("ephemeralPublicKey", "encryptedData", "nonce"))
            label = (version if version >= "3.2" else "").encode() + info.encode() + ephemeral
            point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), ephemeral)
            keys = X963KDF(hashes.SHA256(), 48, label).derive(
                private(d(p["private"])).exchange(ec.ECDH(), point))
            assert mac(keys[16:32], data + covered(nonce, r.get("timestamp"), ephemeral)) == d(r["mac"])
            o, u = aes(keys, nonce).decryptor(), padding.PKCS7(128).unpadder()
            plain = u.update(o.update(data) + o.finalize()) + u.finalize()
            return json.loads(plain), keys, nonce
        def sealed(value, keys, nonce):
            answer = {}
            if version >= "3.2":
                nonce = bytes(range(50, 66))
                answer = {"nonce": e(nonce), "timestamp": 1790000000001}
            s, u = aes(keys, nonce).encryptor(), padding.PKCS7(128).padder()
            data = s.update(u.update(json.dumps(value).encode()) + u.finalize()) + s.finalize()
            code = mac(keys[16:32], data + covered(nonce, 1790000000001, b""))
            return answer | {"encryptedData": e(data), "mac": e(code)}
        outer, outerKeys, outerNonce = opened(p["request"], "/pa/generic/application")
        inner, innerKeys, innerNonce = opened(outer["activationData"], "/pa/activation")
        assert outerKeys != innerKeys
        device = ec.EllipticCurvePublicKey.from_encoded_point(
            ec.SECP256R1(), d(inner.pop("devicePublicKey")))
        server = private(d(p["server"]))
        n = server.public_key().public_numbers()
        point = b"\\x04" + n.x.to_bytes(32, "big") + n.y.to_bytes(32, "big")
        reply = {"activationId": "6a7d3f02-9c1e-4b58-8f3a-0d6b5e2c4a91",
            "serverPublicKey": e(point), "ctrData": e(bytes(range(16)))}
        words = {"activationData": sealed(reply, innerKeys, innerNonce),
            "customAttributes": {"seen": outer.get("customAttributes")}, "userInfo": {"sub": "petra"}}
        del outer["activationData"]
        print(json.dumps({"outer": outer, "inner": inner,
            "master": e(fold(server.exchange(ec.ECDH(), device))),
            "reply": sealed(words, outerKeys, outerNonce)}))
        """

    private static let cases: [(PowerAuthVersion, Int)] = PowerAuthVersion.allCases.flatMap {
        version in (0..<4).map { (version, $0) }
    }

    /// A code with more, credentials, a login, and the deprecated kind.
    private func order(_ kind: Int) throws -> ActivationOrder {
        let activation: PowerAuthActivation
        var code: ActivationCode?
        switch kind {
        case 0:
            code = try ActivationCode("W65WE-3T7VI-7FBS2-A4OYA")
            var more = PowerAuthActivation(.typed(text: "W65WE-3T7VI-7FBS2-A4OYA"))
            more.customAttributes = ["a": [1, "ž"]]
            more.extras = "extras"
            more.name = "Žlutý telefon"
            activation = more
        case 1:
            activation = PowerAuthActivation(
                method: "login", attributes: ["user": Secret(copying: "a\"\\ě")])
        case 2:
            activation = PowerAuthActivation(login: [
                "method": Secret(copying: "oidc"), "providerId": Secret(copying: "bank"),
                "code": Secret(copying: "c"), "nonce": Secret(copying: "n"),
                "codeVerifier": Secret(copying: "v"),
            ])
        default:
            activation = PowerAuthActivation(identityAttributes: ["id": Secret(copying: "7")])
        }
        return try ActivationOrder(activation, code: code)
    }

    @Test(arguments: cases)
    func `Python opens both layers, and both sides agree on the keys`(
        _ version: PowerAuthVersion, _ kind: Int
    ) async throws {
        let temporary = try Wire.privateKey(31)
        let server = try Wire.privateKey(32)
        let keyID = version == .v3_3 ? "D3D82A6B-47CF-4225-BBE5-BAD96FB84CA4" : nil
        let phone = try await PowerAuthHarness()
        let order = try order(kind)
        let request = try ActivationRequest(
            order, otp: nil, from: phone.provider.channel.environment)
        let scope = try Wire.scope(inActivation: false)
        func seal(_ plain: Secret, _ info: String) throws -> (body: JSON, opener: ResponseOpener) {
            try RequestEncryptor(
                version: version, scope: scope,
                key: EncryptionKey(id: keyID, publicKey: Wire.point(temporary)), sharedInfo1: info,
                random: SystemRandom()
            ).seal(plain, timestamp: Date(timeIntervalSince1970: 1_790_000_000))
        }
        let (data, inner) = try seal(request.inner, "/pa/activation")
        let (body, outer) = try seal(request.outer(data), "/pa/generic/application")
        let input: JSON = [
            "version": .string(version.rawValue), "secret": "5to+u5pcUeAl7GPu7fNmug==",
            "application": "lbNrg+B157tbojC487941A==", "keyID": .string(keyID ?? ""),
            "private": .string(Wire.base64(temporary.rawRepresentation)),
            "server": .string(Wire.base64(server.rawRepresentation)), "request": body,
        ]
        let output = try #require(
            ExternalTool.python.run(["-c", Self.server], input: input.data))
        let answer = try JSON(parsing: output)
        try check(answer, order)
        let reply = try ActivationReply(
            #require(answer["reply"]), .init(outer: outer, inner: inner))
        #expect(reply.activationID == "6a7d3f02-9c1e-4b58-8f3a-0d6b5e2c4a91")
        #expect(reply.counter.array == Array(0..<16))
        #expect(
            reply.words.customAttributes?["seen"]
                == order.customAttributes.map { .object($0) } ?? .null)
        #expect(reply.words.userInfo?.subject == "petra")
        let master = try ActivationKeys.masterSecret(
            devicePrivateKey: request.deviceKey, serverPublicKey: reply.serverKey)
        #expect(master.base64 == answer["master"]?.string)
    }

    /// What Python read: exactly the members that the servers take.
    private func check(_ answer: JSON, _ order: ActivationOrder) throws {
        var outer: JSON.Object = [
            "type": .string(order.kind.rawValue), "identityAttributes": .object(order.identity),
        ]
        outer["customAttributes"] = order.customAttributes.map { .object($0) }
        #expect(answer["outer"] == .object(outer))
        var inner: JSON.Object = [
            "activationName": .string(order.name ?? "Petra's phone"), "platform": "ios",
            "deviceInfo": .string(PowerAuthHarness.device.platform.rawValue),
        ]
        inner["extras"] = order.extras.map { .string($0) }
        #expect(answer["inner"] == .object(inner))
    }
}

import Crypto
import ExternalTool
import Foundation
import HTTPTypes
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushPowerAuth

/// A bank's own requests and the vault, computed again by Python, which knows nothing of our code.
@Suite(.enabled(if: ExternalTool.hasCryptography)) struct BankReferenceTests {
    private let random = SeededRandom(seed: 1315)

    private func text(_ data: Data) -> JSON { .string(data.base64EncodedString()) }

    private func text(_ secret: Secret) -> JSON { .string(secret.base64) }

    private func data(_ count: Int) -> Data { Data(random.bytes(count).copy) }

    /// Prints how many values both sides agree on, for the vendor's page.
    private func report(_ count: Int, _ what: String) {
        print("Python cross-checks of a bank's requests: \(count) \(what)")
    }

    // MARK: Signatures

    private static let methods: [HTTPRequest.Method] = [.post, .put, .patch, .delete, .get]

    /// Characters that a query encodes, and some of those that it doesn't.
    private static let characters = Array("aZ09-_.*~ žó/:?#@!$'()[],;€💰")

    private func word() -> String {
        String(
            (0..<Int(random.next() % 6)).map { _ in
                Self.characters[Int(random.next() % UInt64(Self.characters.count))]
            })
    }

    /// Some names and values, of which none is decoded to anything else by a second decoding.
    private func query(_ round: Int) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.formIntersection(CharacterSet(charactersIn: Unicode.Scalar(0)..<"\u{80}"))
        func encoded(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        }
        return (0..<round % 5).map { _ in "k\(random.next() % 3)=\(encoded(word()))" }
            .joined(separator: "&")
    }

    @Test func `Python signs each method the same, and writes the same query`() throws {
        var cases: [JSON] = []
        var ours: [String] = []
        for round in 0..<200 {
            let method = Self.methods[round % Self.methods.count]
            let query = query(round / Self.methods.count)
            let body = method == .get ? Data() : data(round)
            let resource = "/secured/account/\(round)/" + word()
            let head = HTTPRequest(
                method: method, scheme: "https", authority: "bank.example",
                path: "/x" + (query.isEmpty ? "" : "?" + query))
            let signed = try SignedData(head, body, resource)
            let (nonce, counter) = (data(16), random.bytes(16))
            let secret = Secret(data(16).base64EncodedString().utf8)
            let keys = (0...round % 3).map { _ in random.bytes(16) }
            ours.append(
                try RequestSignature.online(
                    keys: keys, counter: SignatureCounter(data: counter),
                    over: RequestSignature.normalized(
                        method: signed.method, uriID: signed.uriID, nonce: nonce,
                        body: signed.body, applicationSecret: secret)))
            cases.append([
                "method": .string(method.rawValue), "query": .string(query),
                "resource": .string(resource), "body": text(body), "nonce": text(nonce),
                "counter": text(counter), "secret": .string(secret.copiedText()),
                "keys": .array(keys.map { text($0) }),
            ])
        }
        // As the server's framework reads a query: decoded whole, cut, and decoded in parts.
        let theirs = ReferencePython.answers(
            """
            (lambda u: (lambda pairs, quote: e(b"".join(o[16:] for o in components(
                [d(k) for k in x["keys"]], d(x["counter"]), normalized(
                    x["method"], x["resource"], d(x["nonce"]),
                    "&".join(quote(n) + "=" + quote(v) for n, v in pairs).encode()
                        if x["method"] == "GET" else d(x["body"]), x["secret"])))))(
                sorted(((u.unquote_plus(p[0]), u.unquote_plus(p[1])) for p in (
                    q.split("=", 1) for q in u.unquote_plus(x["query"]).split("&") if "=" in q)),
                    key=lambda p: (p[0].encode("utf-16-be"), p[1].encode("utf-16-be"))),
                lambda t: u.quote_plus(t, safe="*-._").replace("~", "%7E")))(
                __import__("urllib.parse").parse)
            """, for: cases)
        #expect(theirs == ours)
        report(ours.count, "signatures over normalized data")
    }

    // MARK: Encryption

    @Test(arguments: PowerAuthVersion.allCases)
    func `Python opens what is sealed for a bank's endpoints and the vault`(
        version: PowerAuthVersion
    ) throws {
        let key = try Wire.privateKey(31)
        var cases: [JSON] = []
        var ours: [String] = []
        let purposes = [
            ("/pa/generic/application", false), ("/pa/generic/activation", true),
            ("/pa/vault/unlock", true),
        ]
        for (info, isBound) in purposes {
            let encryptor = try RequestEncryptor(
                version: version, scope: Wire.scope(inActivation: isBound),
                key: EncryptionKey(
                    id: version == .v3_3 ? "key-7" : nil, publicKey: Wire.point(key)),
                sharedInfo1: info, random: random)
            for length in [0, 1, 15, 16, 17, 200, 1000] {
                let plain = random.bytes(length)
                let (request, _) = try encryptor.seal(
                    plain, timestamp: Date(timeIntervalSince1970: 1_750_000_000.25))
                ours.append(plain.base64)
                var parts: [JSON] = [
                    .string(version.rawValue), "lbNrg+B157tbojC487941A==",
                ]
                if isBound { parts.append(.string(Wire.activationID)) }
                if version == .v3_3 { parts.append("key-7") }
                cases.append([
                    "version": .string(version.rawValue), "info": .string(info),
                    "private": text(key.rawRepresentation), "request": request,
                    "transport": isBound ? .string(Wire.transportKey) : "",
                    "secret": "5to+u5pcUeAl7GPu7fNmug==", "associated": .array(parts),
                ])
            }
        }
        #expect(ReferencePython.answers(Self.opening, for: cases) == ours)
        report(ours.count, "envelopes of version \(version.rawValue)")
    }

    /// Checks an envelope's code, and opens it.
    private static let opening = """
        (lambda r, old: (lambda E, data, nonce: (lambda keys, base: (lambda rest: (
            e((lambda p: p[:len(p) - p[-1]])(uncbc(keys[:16], fold(mac(keys[32:], nonce)), data)))
            if mac(keys[16:32], data + rest) == d(r["mac"]) else "forged"))(
                base if old else sized(base, nonce, r["timestamp"].to_bytes(8, "big"), E,
                    sized(*(t.encode() for t in x["associated"])))))(
                x963(private(d(x["private"])).exchange(ec.ECDH(), point(E)),
                    (b"" if old else x["version"].encode()) + x["info"].encode() + E),
                mac(d(x["transport"]), x["secret"].encode()) if x["transport"]
                    else hashlib.sha256(x["secret"].encode()).digest()))(
                d(r["ephemeralPublicKey"]), d(r["encryptedData"]), d(r["nonce"])))(
            x["request"], x["version"] == "3.1")
        """

    // MARK: The vault

    @Test func `a vault that Python locked opens, and Python knows what came out`() throws {
        var cases: [JSON] = []
        let data = Data("contract 42".utf8)
        // Some scalars are shorter than 32 bytes, which Python writes without zeros before them.
        let pairs =
            try (0..<24).map { number in
                (try AwkwardKeys.key(number), try AwkwardKeys.key(2000 + number))
            } + [(try BankExampleTests.Keys.key("bank device"), try AwkwardKeys.key(1))]
        let points = pairs.map { CurvePoint($0.1.publicKey) }
        for ((device, _), point) in zip(pairs, points) {
            cases.append([
                "device": text(device.rawRepresentation), "server": text(point.uncompressed),
            ])
        }
        let lent = try #require(ReferencePython.answers(Self.locking, for: cases))
        var checks: [JSON] = []
        for (index, text) in lent.enumerated() {
            let parts = text.split(separator: " ").map(String.init)
            let device = pairs[index].0
            let keys = try ActivationKeys(devicePrivateKey: device, serverPublicKey: points[index])
            let vaultKey = try BlockCipher.decrypt(
                Sample.data(parts[0]), key: keys.transport, iv: BlockCipher.zeroIV, padding: true)
            let vault = try PowerAuthOpenVault(
                vaultKey: vaultKey, locked: Sample.secret(parts[1]), serverKey: points[index])
            let jwt = try vault.jwt(of: ["sub": "1"])
            checks.append([
                "device": self.text(device.rawRepresentation),
                "server": self.text(points[index].uncompressed),
                "signature": self.text(try vault.signature(over: data)), "jwt": .string(jwt),
                "keys": .array(
                    try [0, 1, 1977, UInt64.max].map {
                        self.text(try vault.encryptionKey(.init(index: $0)))
                    }),
            ])
        }
        let verdicts = ReferencePython.answers(Self.checking, for: checks)
        #expect(verdicts == Array(repeating: "right", count: pairs.count))
        report(pairs.count * 6, "values of the vault")
    }

    private static let locking = """
        (lambda a, b: (lambda m: (lambda vault, scalar: e(cbc(kdf(m, 1000), bytes(16),
            pad(vault))) + " " + e(cbc(vault, bytes(16), pad(scalar))))(
                kdf(m, 2000), d(x["device"]).lstrip(b"\\0")))(fold(a.exchange(ec.ECDH(), b))))(
            private(d(x["device"])), point(d(x["server"])))
        """

    /// Verifying throws, and then there is no answer at all.
    private static let checking = """
        (lambda a, b: (lambda vault, parts: "right" if (
            a.public_key().verify(d(x["signature"]), b"contract 42", ec.ECDSA(hashes.SHA256()))
                is None
            and a.public_key().verify(dss(unurl(parts[2])), ".".join(parts[:2]).encode(),
                ec.ECDSA(hashes.SHA256())) is None
            and json.loads(unurl(parts[1])) == {"sub": "1"}
            and x["keys"] == [e(kdf(vault, n)) for n in (0, 1, 1977, 2 ** 64 - 1)]) else "wrong")(
                kdf(fold(a.exchange(ec.ECDH(), b)), 2000), x["jwt"].split(".")))(
            private(d(x["device"])), point(d(x["server"])))
        """
}

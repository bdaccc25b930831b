import Crypto
import ExternalTool
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

/// Random keys, signatures and statuses, by a program that knows nothing of our code.
@Suite(.enabled(if: ExternalTool.hasCryptography)) struct ReferenceTests {
    private let random = SeededRandom(seed: 2026)

    private func text(_ data: Data) -> JSON { .string(data.base64EncodedString()) }

    private func text(_ secret: Secret) -> JSON { .string(secret.base64) }

    private func data(_ count: Int) -> Data { Data(random.bytes(count).copy) }

    @Test func `Python derives the same keys and the same fingerprint`() throws {
        var pairs = try (0..<40).map { number in
            (try AwkwardKeys.key(number), try AwkwardKeys.key(1000 + number))
        }
        let awkward = try #require(try AwkwardKeys.withShortAgreement())
        let short = try #require(try AwkwardKeys.withShortX())
        pairs += [(awkward.device, awkward.server), (short, awkward.server), (pairs[0].0, short)]
        var cases: [JSON] = []
        var ours: [String] = []
        for (device, server) in pairs {
            let point = CurvePoint(server.publicKey)
            let keys = try ActivationKeys(devicePrivateKey: device, serverPublicKey: point)
            let id = random.uuid()
            let secrets = [
                try ActivationKeys.masterSecret(devicePrivateKey: device, serverPublicKey: point),
                keys.possession, keys.knowledge, keys.biometry, keys.transport, keys.vault,
            ]
            let digits = Fingerprint.digits(
                device: CurvePoint(device.publicKey), activationID: id, server: point)
            ours.append((secrets.map(\.base64) + [digits]).joined(separator: " "))
            cases.append([
                "device": text(device.rawRepresentation), "server": text(point.uncompressed),
                "id": .string(id),
            ])
        }
        let theirs = ReferencePython.answers(
            """
            (lambda a, b: (lambda z: " ".join([
                e(fold(z)), *[e(kdf(fold(z), i)) for i in (1, 2, 3, 1000, 2000)],
                decimal(hashlib.sha256(b"".join([
                    n.to_bytes((n.bit_length() + 7) // 8, "big") if isinstance(n, int) else n
                    for n in (a.public_key().public_numbers().x, x["id"].encode(),
                        b.public_numbers().x)])).digest(), 8),
            ]))(a.exchange(ec.ECDH(), b)))(private(d(x["device"])), point(d(x["server"])))
            """, for: cases)
        #expect(theirs == ours)
    }

    @Test func `Python signs the same with one, two and three factors, online and offline`()
        throws
    {
        var cases: [JSON] = []
        var ours: [String] = []
        for round in 0..<60 {
            let keys = (0...round % 3).map { _ in random.bytes(16) }
            let nonce = data(16)
            let body = data(round * 5)
            let digits = 4 + round % 5
            let counter = try SignatureCounter(data: random.bytes(16)).advanced(by: round % 4)
            let secret = Secret(Array(data(16).base64EncodedString().utf8))
            func normalized(_ uriID: String, _ secret: Secret) -> Secret {
                RequestSignature.normalized(
                    uriID: uriID, nonce: nonce, body: body, applicationSecret: secret)
            }
            let online = try RequestSignature.online(
                keys: keys, counter: counter, over: normalized("/operation/authorize", secret))
            let offline = try RequestSignature.offline(
                keys: keys, counter: counter.next(),
                over: normalized("/operation/authorize/offline", RequestSignature.offlineSecret),
                digits: digits)
            ours.append(online + " " + offline)
            cases.append([
                "keys": .array(keys.map { text($0) }), "nonce": text(nonce), "body": text(body),
                "counter": text(counter.data), "digits": .string("\(digits)"),
                "secret": .string(String(decoding: secret.copy, as: UTF8.self)),
            ])
        }
        let theirs = ReferencePython.answers(
            """
            (lambda ks, c, n, b: e(b"".join(o[16:] for o in components(
                ks, c, normalized("POST", "/operation/authorize", n, b, x["secret"])))) + " " +
            "-".join(decimal(o, int(x["digits"])) for o in components(
                ks, step(c), normalized("POST", "/operation/authorize/offline", n, b, "offline"))))(
                [d(k) for k in x["keys"]], d(x["counter"]), d(x["nonce"]), d(x["body"]))
            """, for: cases)
        #expect(theirs == ours)
    }

    @Test func `statuses that Python seals are read as they were meant`() throws {
        var cases: [JSON] = []
        var meant: [(key: Secret, challenge: Data, nonce: Data, numbers: [UInt8])] = []
        var locals: [SignatureCounter] = []
        for round in 0..<40 {
            let numbers = [
                UInt8(1 + round % 5), UInt8(round), UInt8(round % 6), 5, UInt8(8 + round % 50),
            ]
            let steps = round % 8
            let local = try SignatureCounter(
                data: random.bytes(16), byte: numbers[1] &- UInt8(steps))
            let one = (key: random.bytes(16), challenge: data(16), nonce: data(16), numbers)
            meant.append(one)
            locals.append(local)
            cases.append([
                "key": text(one.key), "seed": text(one.challenge + one.nonce),
                "numbers": text(Data(numbers)), "counter": text(local.data),
                "noise": text(data(5)), "steps": .string("\(steps)"),
            ])
        }
        let sealed = try #require(
            ReferencePython.answers(
                """
                (lambda k, n, c: e(cbc(k, fold(mac(kdf(k, 3000), d(x["seed"]))), bytes.fromhex(
                    "dec0ded1") + n[:1] + b"\\x03\\x03" + d(x["noise"]) + n[1:] + fold(
                        mac(kdf(k, 4000), __import__("functools").reduce(
                            lambda v, _: step(v), range(int(x["steps"])), c))))))(
                    d(x["key"]), d(x["numbers"]), d(x["counter"]))
                """, for: cases))
        #expect(sealed.count == meant.count)
        for (index, (text, one)) in zip(sealed, meant).enumerated() {
            let blob = try ActivationStatusBlob(
                opening: Sample.data(text), challenge: one.challenge, nonce: one.nonce,
                transportKey: one.key)
            let read = [
                Int(blob.state.rawValue), Int(blob.counterByte), blob.failedAttempts,
                blob.maximumAttempts, blob.lookAhead,
            ]
            #expect(read == one.numbers.map(Int.init))
            let steps = index % 8
            #expect(
                try CounterSync(local: locals[index], blob: blob, transportKey: one.key)
                    == (steps == 0 ? .inSync : .serverAhead(steps)))
        }
    }

    @Test func `Python stretches PINs and locks keys the same`() async throws {
        var cases: [JSON] = []
        var ours: [String] = []
        for round in 0..<12 {
            let pin = Secret(Array(String(repeating: "1é", count: 1 + round * 4).utf8))
            let salt = data(16)
            let rounds = 1 + round * 137
            let factorKey = random.bytes(16)
            let key = try await FactorLock.key(fromPIN: pin, salt: salt, iterations: rounds)
            ours.append(try FactorLock.lock(factorKey, with: key).base64)
            cases.append([
                "pin": text(pin), "salt": text(salt), "rounds": .string("\(rounds)"),
                "key": text(factorKey),
            ])
        }
        let theirs = ReferencePython.answers(
            """
            e(cbc(hashlib.pbkdf2_hmac("sha1", d(x["pin"]), d(x["salt"]), int(x["rounds"]), 16),
                bytes(16), d(x["key"])))
            """, for: cases)
        #expect(theirs == ours)
    }
}

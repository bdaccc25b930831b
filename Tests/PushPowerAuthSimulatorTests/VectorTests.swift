import Crypto
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuthSimulator

/// Published and recomputed examples against the simulator's own arithmetic.
struct VectorTests {
    private let vectors: Vectors

    init() throws { vectors = try Vectors("worked-example") }

    private func bytes(_ object: JSON.Object, _ name: String) throws -> Data {
        try b64(object[name]?.string)
    }

    @Test func `the master secret is the shared point, folded`() throws {
        let example = try vectors.object("master")
        let device = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: Data(bytes(example, "device").suffix(32)))
        let server = try #require(
            P256.KeyAgreement.PublicKey(point: bytes(example, "server")))
        let z = try #require(device.secret(with: server))
        #expect(z.hex == example["z"]?.string)
        #expect(KeySchedule.fold(z).base64 == example["secret"]?.string)
    }

    @Test func `keys are derived by their indices`() throws {
        let example = try vectors.object("derived")
        let keys = ActivationKeys(masterSecret: try bytes(example, "secret"))
        #expect(keys.possession.base64 == example["possession"]?.string)
        #expect(keys.knowledge.base64 == example["knowledge"]?.string)
        #expect(keys.biometry.base64 == example["biometry"]?.string)
        #expect(keys.transport.base64 == example["transport"]?.string)
        #expect(keys.vault.base64 == example["vault"]?.string)
        let iv = KeySchedule.derive(keys.transport, index: 3000)
        #expect(iv.base64 == example["iv"]?.string)
        let counter = KeySchedule.derive(keys.transport, index: 4000)
        #expect(counter.base64 == example["counter"]?.string)
    }

    @Test func `signatures chain their factors`() throws {
        for example in try #require(vectors["signatures"]?.array) {
            let keys = try #require(example["keys"]?.array).map { try b64($0.string) }
            let components = Signature.components(
                keys, counter: try b64(example["counter"]?.string),
                over: try b64(example["data"]?.string))
            if let digits = example["digits"]?.integer {
                let text = Signature.decimal(components, digits: Int(digits))
                #expect(text == example["signature"]?.string)
            } else {
                #expect(Signature.base64(components) == example["signature"]?.string)
            }
        }
    }

    @Test func `a request is normalized, signed, and put into a header`() throws {
        let derived = try vectors.object("derived")
        let keys = ActivationKeys(masterSecret: try bytes(derived, "secret"))
        for example in try #require(vectors["requests"]?.array) {
            let header = try #require(SignatureHeader(example["header"]?.string))
            let input = Signature.Input(
                uriID: try #require(example["uriId"]?.string), nonce: header.nonce,
                body: try #require(example["body"]?.string).bytes,
                secret: try #require(example["secret"]?.string))
            if let text = example["normalized"]?.string { #expect(input.bytes == text.bytes) }
            let components = Signature.components(
                header.type.keys(keys), counter: try b64(example["counter"]?.string),
                over: input.bytes)
            #expect(header.isSignature(components))
        }
    }

    @Test func `offline signatures cover the password, too`() throws {
        let example = try vectors.object("offline")
        let derived = try vectors.object("derived")
        let keys = ActivationKeys(masterSecret: try bytes(derived, "secret"))
        let body = try #require(example["body"]?.string)
        let password = try #require(example["password"]?.string)
        func components(_ body: String) throws -> (input: Data, components: [Data]) {
            let input = Signature.Input(
                uriID: "/operation/authorize/offline",
                nonce: try #require(example["nonce"]?.string), body: body.bytes,
                secret: "offline"
            ).bytes
            let factors = PowerAuthSimulator.SignatureType.possessionKnowledge.keys(keys)
            let counter = try bytes(example, "counter")
            return (input, Signature.components(factors, counter: counter, over: input))
        }
        let plain = try components(body)
        #expect(plain.input == example["normalized"]?.string?.bytes)
        let signature = Signature.decimal(plain.components, digits: 8)
        #expect(signature == example["signature"]?.string)
        let short = Signature.decimal(plain.components, digits: 4)
        #expect(short == example["short"]?.string)
        let longer = try components("\(body)&\(password)").components
        let withPassword = Signature.decimal(longer, digits: 8)
        #expect(withPassword == example["withPassword"]?.string)
    }

    @Test func `the counter steps by half a hash`() throws {
        let steps = try #require(vectors["counters"]?.array).map { try b64($0.string) }
        for (one, next) in zip(steps, steps.dropFirst()) {
            #expect(KeySchedule.next(one) == next)
        }
    }

    @Test func `fingerprints drop a coordinate's leading zeros`() throws {
        for example in try #require(vectors["fingerprints"]?.array) {
            let device = P256.KeyAgreement.PublicKey(point: try b64(example["device"]?.string))
            let server = P256.KeyAgreement.PublicKey(point: try b64(example["server"]?.string))
            let digits = ActivationKeys.fingerprint(
                device: try #require(device), activation: try #require(example["id"]?.string),
                server: try #require(server))
            #expect(digits == example["digits"]?.string)
        }
    }

    @Test func `status blobs are encrypted as published`() throws {
        for example in try #require(vectors["blobs"]?.array) {
            let transport = try b64(example["transport"]?.string)
            let challenge = try b64(example["challenge"]?.string)
            let nonce = try b64(example["nonce"]?.string)
            let iv = StatusBlob.initializationVector(
                transport: transport, challenge: challenge, nonce: nonce)
            #expect(iv.base64 == example["iv"]?.string)
            let plain = Data(hex: try #require(example["plain"]?.string))
            var counter = try b64(example["counter"]?.string)
            for _ in 0..<Int(try #require(example["ahead"]?.integer)) {
                counter = KeySchedule.next(counter)
            }
            let blob = StatusBlob(
                state: try #require(.init(rawValue: plain[4])), counterByte: plain[12],
                failedAttempts: Int(plain[13]), maximumFailedAttempts: Int(plain[14]),
                lookAhead: Int(plain[15]), counter: counter, filler: Data(plain[7..<12]))
            #expect(blob.plain(transport: transport).hex == plain.hex)
            let encrypted = blob.encrypted(
                transport: transport, challenge: challenge, nonce: nonce)
            #expect(encrypted?.base64 == example["encrypted"]?.string)
        }
    }

    @Test func `activation codes carry their checksum`() throws {
        #expect(ActivationCode.checksum("123456789".bytes) == 0xBB3D)
        #expect(ActivationCode.checksum(Data(0...9)) == 0x4204)
        #expect(ActivationCode.text(of: Data(0...9)) == "AAAQE-AYEAU-DAOCA-JIICA")
        #expect(ActivationCode.text(of: Data(count: 10)) == "AAAAA-AAAAA-AAAAA-AAAAA")
    }

    @Test func `the configuration string is the vendor's`() throws {
        let example = try vectors.object("configuration")
        let app = try Phone.App(try #require(example["text"]?.string))
        #expect(app.key == example["key"]?.string)
        #expect(app.secret == example["secret"]?.string)
        #expect(
            app.masterKey.x963Representation.base64EncodedString() == example["master"]?.string)
        let application = PowerAuthSimulator.Application(
            id: "app", key: Secret(try b64(app.key)), secret: Secret(try b64(app.secret)),
            masterKey: .init())
        let ours = try Phone.App(application.sdkConfiguration)
        #expect(ours.key == app.key)
        #expect(ours.secret == app.secret)
        #expect(
            ours.masterKey.x963Representation == application.masterKey.publicKey.x963Representation)
    }

    @Test func `a request for a temporary key is known by its code`() throws {
        let example = try vectors.object("temporaryKey")
        let token = try #require(example["jwt"]?.string.flatMap(CompactToken.init))
        #expect(token.claims["applicationKey"]?.string == example["applicationKey"]?.string)
        let secret = try bytes(example, "secret")
        #expect(token.isMade(by: secret))
        #expect(!token.isMade(by: try #require(example["secret"]?.string).bytes))
        let key = KeySchedule.deriveInternal(try bytes(example, "transport"), secret)
        #expect(key.base64 == example["activationKey"]?.string)
    }
}

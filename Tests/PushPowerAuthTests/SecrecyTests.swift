import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// What must never be stored, shown or testable:
/// `docs/vendors/powerauth.md#what-is-stored-and-what-it-is-worth`.
@Suite struct SecrecyTests {
    let bank = Bank()
    let phone: PowerAuthHarness
    let id: Enrollment.ID

    init() async throws {
        phone = try await PowerAuthHarness(of: bank, customer: Customer(finger: Customer.finger))
        id = try await phone.activated(token: .fcm("t"))
        await phone.customer.prefer(finger: false)
    }

    private func stored() async throws -> [[UInt8]] {
        try await phone.disk.contents.values.map { $0 }
    }

    private func isStored(_ secret: [UInt8]) async throws -> Bool {
        let text = Array(Data(secret).base64EncodedString().utf8)
        return try await stored().contains { $0.contains(secret) || $0.contains(text) }
    }

    /// Every sixteen bytes that stand together, as they are or in Base64.
    private func windows() async throws -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        for record in try await stored() {
            for start in record.indices.dropLast(15) {
                found.insert(Array(record[start..<start + 16]))
            }
            let isBase64 = { (byte: UInt8) in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || "+/=-_".utf8.contains(byte)
            }
            for run in record.split(whereSeparator: { !isBase64($0) }) where run.count >= 22 {
                var text = String(decoding: run, as: UTF8.self).replacing("-", with: "+")
                    .replacing("_", with: "/")
                while !text.utf8.count.isMultiple(of: 4) { text += "=" }
                guard let bytes = Data(base64Encoded: text), bytes.count >= 16 else { continue }
                let decoded = Array(bytes)
                for start in decoded.indices.dropLast(15) {
                    found.insert(Array(decoded[start..<start + 16]))
                }
            }
        }
        return found
    }

    /// An activation's keys, computed here once more.
    private func keys() async throws -> Keys {
        let server = try await bank.simulator.serverKey(of: id.name)
        for draw in phone.random.draws where draw.count == 32 {
            guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: draw),
                let shared = try? key.sharedSecretFromKeyAgreement(with: server)
            else { continue }
            let point = key.publicKey.x963Representation
            guard await bank.simulator.deviceKey(of: id.name) == point else { continue }
            return try Keys(shared.withUnsafeBytes { Array($0) }, device: draw)
        }
        throw PushError(.notFound, "The device's key wasn't drawn.")
    }

    struct Keys {
        let device: [UInt8]
        let agreed: [UInt8]
        let master: [UInt8]
        let factors: [String: [UInt8]]

        init(_ agreed: [UInt8], device: [UInt8]) throws {
            self.device = device
            self.agreed = agreed
            let master = zip(agreed.prefix(16), agreed.suffix(16)).map { $0 ^ $1 }
            func derived(_ index: UInt64) throws -> [UInt8] {
                let block = withUnsafeBytes(of: index.bigEndian) {
                    [UInt8](repeating: 0, count: 8) + $0
                }
                return Array(
                    try AES._CBC.encrypt(
                        block, using: SymmetricKey(data: master),
                        iv: AES._CBC.IV(ivBytes: [UInt8](repeating: 0, count: 16)), noPadding: true)
                )
            }
            self.master = master
            factors = [
                "possession": try derived(1), "knowledge": try derived(2),
                "biometry": try derived(3), "transport": try derived(1000),
                "vault": try derived(2000),
            ]
        }
    }

    @Test func `of all keys, only those that the device alone uses are stored as they are`()
        async throws
    {
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        let keys = try await keys()
        // The search finds what is there.
        #expect(try await isStored(try #require(keys.factors["transport"])))
        for name in ["knowledge", "biometry", "vault"] {
            #expect(try await !isStored(try #require(keys.factors[name])), "\(name)")
        }
        for secret in [keys.master, keys.agreed, keys.device, Customer.finger.array] {
            #expect(try await !isStored(secret))
        }
        #expect(try await !isStored(Array(Customer.pin.utf8)))
    }

    @Test func `nothing stored tells a right PIN from a wrong one`() async throws {
        let keys = try await keys()
        let knowledge = try #require(keys.factors["knowledge"])
        let windows = try await windows()
        // Whatever stretches the PIN by a salt that is stored: neither its result nor a hash of it,
        // nor a code under it, is there.
        let pin = Data(Customer.pin.utf8)
        var oracles: [[UInt8]] = [
            Array(SHA256.hash(data: pin)), Array(Insecure.SHA1.hash(data: pin)),
            Array(SHA256.hash(data: knowledge)),
        ]
        for salt in windows {
            let stretched = try KDF.Insecure.PBKDF2.deriveKey(
                from: pin, salt: salt, using: .insecureSHA1, outputByteCount: 16,
                unsafeUncheckedRounds: 10)
            let bytes = stretched.withUnsafeBytes { Array($0) }
            oracles += [
                bytes, Array(SHA256.hash(data: bytes)),
                Array(HMAC<SHA256>.authenticationCode(for: salt, using: stretched)),
            ]
        }
        for oracle in oracles { #expect(!windows.contains(Array(oracle.prefix(16)))) }
    }

    @Test func `the knowledge key is stored locked, sixteen bytes for sixteen`() async throws {
        let keys = try await keys()
        let knowledge = try #require(keys.factors["knowledge"])
        let windows = try await windows()
        // One of the stored values is the salt under which the locked key is stored.
        let found = try windows.contains { salt in
            let key = try KDF.Insecure.PBKDF2.deriveKey(
                from: Data(Customer.pin.utf8), salt: salt, using: .insecureSHA1,
                outputByteCount: 16, unsafeUncheckedRounds: 10)
            let locked = try AES._CBC.encrypt(
                knowledge, using: key,
                iv: AES._CBC.IV(ivBytes: [UInt8](repeating: 0, count: 16)), noPadding: true)
            return windows.contains(Array(locked))
        }
        #expect(found)
    }

    @Test func `an answer with a PIN isn't kept, for it would let the PIN be tried`() async throws {
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        await phone.fail(.authorize, .dropAfter)
        _ = try? await phone.authenticator.resolve(challenge, with: .approve)
        let header = try await bank.header("X-PowerAuth-Authorization", of: .authorize)
        let signature = try #require(header["pa_signature"])
        #expect(try await !isStored(Array(signature.utf8)))
        let bytes = try #require(Data(base64Encoded: signature))
        #expect(try await !isStored(Array(bytes)))
    }

    @Test func `secrets are in no error, observation or description`() async throws {
        // Eight digits, as four may stand in any identifier or address by chance.
        let wrong = "86420246"
        var texts: [String] = []
        await phone.customer.type(wrong)
        texts.append("\(try await phone.approve(try await bank.ask(), at: id))")
        for (call, fault) in [
            (Bank.Call.authorize, PowerAuthSimulator.BadAnswer.refusal(status: 500, code: "X")),
            (.status, .randomBlob), (.list, .refusal(status: 401, code: "POWERAUTH_AUTH_FAIL")),
            (.tokenCreation, .tampered), (.keystore, .wrongKey),
        ] {
            await bank.simulator.spoil(by: fault, at: call, times: 3)
            await bank.simulator.forgetTemporaryKeys()
            do {
                _ = try await phone.approve(try await bank.ask(), at: id)
            } catch {
                texts += ["\(error)", String(reflecting: error)]
                texts.append("\((error as? PushError)?.underlying as Any)")
            }
            do { _ = try await phone.enroll() } catch {
                texts += ["\(error)", String(reflecting: error)]
            }
        }
        texts += phone.observer.observations.map { "\($0)" }
        texts.append(String(reflecting: phone.provider.configuration))
        texts.append("\(phone.provider.configuration)")
        var dumped = ""
        dump(phone.provider.configuration, to: &dumped)
        texts.append(dumped)
        for record in try await phone.authenticator.records() {
            texts.append(String(reflecting: record))
        }
        let keys = try await keys()
        let application = try #require(await bank.simulator.configuration.applications.first)
        var secrets = [Customer.pin, wrong, application.secret]
        for key in keys.factors.values {
            secrets.append(Data(key).base64EncodedString())
            secrets.append(Wire.hex(key))
        }
        secrets += try await bank.record(id).tokens
        for text in texts {
            for secret in secrets { #expect(!text.contains(secret), "\(text.prefix(120))") }
        }
        #expect(texts.count > 8)
    }

    @Test func `a PIN that is changed is locked under a fresh salt, and the old one is useless`()
        async throws
    {
        let before = try await stored()
        try await phone.manager(id).changePIN(
            from: Secret(Customer.pin.utf8), to: Secret("97531".utf8))
        #expect(try await stored() != before)
        await phone.customer.type("97531")
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        await phone.customer.type(Customer.pin)
        let outcome = try await phone.approve(try await bank.ask(), at: id)
        #expect(outcome.refusal?.reason == .verification)
    }

    @Test func `a wrong old PIN is found out at the server before the key is touched`()
        async throws
    {
        let before = try await phone.disk.contents.filter { $0.key.collection == "enrollment" }
        let manager = try phone.manager(id)
        await #expect(throws: PushError.self) {
            try await manager.changePIN(from: Secret("0000".utf8), to: Secret("97531".utf8))
        }
        let header = try await bank.header("X-PowerAuth-Authorization", of: .validation)
        #expect(header["pa_signature_type"] == "possession_knowledge")
        #expect(!before.isEmpty)
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
    }

    @Test func `what is removed leaves no key behind`() async throws {
        let keys = try await keys()
        try await phone.authenticator.remove(id)
        for (name, key) in keys.factors { #expect(try await !isStored(key), "\(name)") }
    }

    @Test func `a removal at the server wipes what the user unlocks`() async throws {
        let before = try await windows()
        try await bank.simulator.remove(id.name)
        _ = try await phone.authenticator.refresh(id)
        let tokens = try await bank.record(id).tokens
        #expect(tokens.isEmpty)
        #expect(try await windows().count < before.count)
        #expect(try await phone.state(id) == .needsReenrollment)
    }
}

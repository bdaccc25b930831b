import Crypto
import ExternalTool
import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// Records of the vendor's SDK as a Python program writes them, which knows nothing of our code, and as
/// the vendor's own core has written them: `docs/vendors/evidence/powerauth-records.json`.
@Suite(.enabled(if: ExternalTool.hasCryptography)) struct ImportReferenceTests {
    /// What Python needs to know of an activation.
    private func facts(
        _ state: VendorState, salt: Data = VendorState.salt
    ) throws -> JSON {
        [
            "device": text(state.device.rawRepresentation),
            "server": text(state.serverKey), "id": .string(state.activationID),
            "counter": text(state.counter), "byte": .integer(state.counterByte),
            "pin": .string(Customer.pin), "salt": text(salt),
            "rounds": .integer(state.iterations), "flags": .integer(state.flags),
            "version": .integer(state.version), "recovery": text(state.recovery),
            "possessionKey": text(VendorState.possessionKey),
            "biometryKey": text(state.hasBiometry ? VendorState.biometryKey : Data()),
            "externalKey": text(
                state.flags & VendorState.usesExternalKey == 0
                    ? Data() : VendorState.externalKey),
        ]
    }

    private func text(_ data: Data) -> JSON { .string(data.base64EncodedString()) }

    private func records(_ states: [VendorState]) throws -> [Data] {
        try records(ofFacts: states.map { try facts($0) })
    }

    private func records(ofFacts facts: [JSON]) throws -> [Data] {
        let program = """
            (lambda a, b: (lambda m: (lambda short, block, lock, twice, packed:
              e(b"PA" + b"\\x02" + b"P" + bytes([x["version"]]) + block(d(x["counter"]))
                + block(x["id"].encode()) + x["rounds"].to_bytes(4, "big") + block(d(x["salt"]))
                + block(lock(kdf(m, 1), d(x["possessionKey"])))
                + block(twice(kdf(m, 2), hashlib.pbkdf2_hmac(
                    "sha1", x["pin"].encode(), d(x["salt"]), x["rounds"], 16)))
                + block(twice(kdf(m, 3), d(x["biometryKey"])) if x["biometryKey"] else b"")
                + block(lock(kdf(m, 1000), d(x["possessionKey"])))
                + block(d(x["server"])) + block(packed(a.public_key().public_numbers()))
                + block((lambda s: cbc(kdf(m, 2000), bytes(16),
                    s + bytes([16 - len(s) % 16]) * (16 - len(s) % 16)))(
                        short(a.private_numbers().private_value)))
                + x["flags"].to_bytes(4, "big")
                + (block(d(x["recovery"])) if x["version"] >= 0x35 else b"")
                + (bytes([x["byte"]]) if x["version"] >= 0x36 else b"")))(
              lambda v: v.to_bytes((v.bit_length() + 7) // 8, "big"),
              lambda v: (bytes([len(v)]) if len(v) < 128
                else bytes([0x80 | len(v) >> 8, len(v) & 255])) + v,
              lambda k, under: cbc(under, bytes(16), k),
              lambda k, under: (lambda once: cbc(d(x["externalKey"]), bytes(16), once)
                if x["externalKey"] else once)(cbc(under, bytes(16), k)),
              lambda n: bytes([2 + (n.y & 1)]) + n.x.to_bytes(32, "big")))(
            fold(a.exchange(ec.ECDH(), b))))(private(d(x["device"])), point(d(x["server"])))
            """
        let answers = ReferencePython.answers(program, for: facts)
        return try #require(answers).map { try #require(Data(base64Encoded: $0)) }
    }

    @Test func `Python writes the records of the vendor's core, byte for byte`() async throws {
        let written = try CoreRecord.all().filter { $0.fingerprint != nil }
        var all: [JSON] = []
        for one in written {
            let stored = try #require(try StoredActivation.read(Secret(one.bytes)))
            let server = try BankExampleTests.Keys().server.publicKey
            var state = try await VendorState(
                stored.activationID, device: one.deviceKey(stored), server: server,
                counter: Data(stored.counter.data.array), byte: stored.counter.byte)
            state.iterations = UInt32(stored.iterations)
            state.hasBiometry = stored.biometry != nil
            state.compressesServerKey =
                try one.bytes.firstRange(of: server.x963Representation) == nil
            if stored.hasExternalKey { state.flags |= VendorState.usesExternalKey }
            // Encrypted, so it goes over as it is: before the counter's byte, which is the last one.
            if stored.hasRecoveryData { state.recovery = try one.bytes.dropLast().suffix(48) }
            all.append(try facts(state, salt: stored.salt))
        }
        #expect(try records(ofFacts: all) == written.map { try $0.bytes })
        print("PowerAuth: Python wrote \(written.count) records of the vendor's core alike")
    }

    @Test func `Python writes the same records, of each version and with each flag`() async throws {
        var states: [VendorState] = []
        for number in 0..<40 {
            let device =
                number == 0
                ? try BankExampleTests.Keys().device : P256.KeyAgreement.PrivateKey()
            var state = try await VendorState(
                UUID().uuidString.lowercased(), device: device,
                server: P256.KeyAgreement.PrivateKey().publicKey,
                counter: Data(SystemRandom().bytes(16).copy), byte: UInt8(number * 6))
            state.version = [UInt8(ascii: "4"), UInt8(ascii: "5"), UInt8(ascii: "6")][number % 3]
            if number % 2 == 0 { state.flags |= VendorState.usesExternalKey }
            state.recovery = Data(repeating: 5, count: number * 7)
            state.compressesServerKey = number % 4 == 0
            state.hasBiometry = number % 5 != 0
            states.append(state)
        }
        let theirs = try records(states)
        #expect(try theirs == states.map { try $0.bytes })
        print("PowerAuth: Python wrote \(theirs.count) records of the vendor's SDK alike")
    }

    @Test func `a record that Python wrote goes on at the server, with PIN, finger and vault`()
        async throws
    {
        let bank = Bank()
        let old = try await PowerAuthHarness(of: bank)
        let id = try await old.activated()
        try await old.validate(.pin(Customer.pin), of: id)
        let bytes = try #require(try records([try await VendorState(of: old, id)]).first)
        let phone = try await PowerAuthHarness(of: bank)
        let report = await phone.provider.importEnrollments(from: [
            PowerAuthVendorRecord(
                status: Secret(bytes), possessionKey: Secret(VendorState.possessionKey),
                biometry: .init(
                    key: Secret(VendorState.biometryKey), secret: Customer.finger))
        ])
        #expect(report.taken.map(\.id) == [id])
        try await phone.validate(.pin(Customer.pin), of: id)
        try await phone.validate(.biometry(Customer.finger), of: id)
        let vault = try phone.manager(id).vault
        _ = try await vault.signature(over: Data([1]), by: .pin(Customer.pin))
        #expect(try await bank.record(id).failedAttempts == 0)
    }
}

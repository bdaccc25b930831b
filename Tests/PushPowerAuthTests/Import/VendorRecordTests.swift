import Crypto
import ExternalTool
import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

/// A record that the vendor's own core has written: `docs/vendors/evidence/powerauth-records.json`, which
/// says how, and with which keys.
struct CoreRecord: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let core: String
    let record: String
    let fingerprint: String?
    let signatures: Int?

    var testDescription: String { "\(name), \(core)" }
    var bytes: Data { get throws { try Sample.data(hex: record) } }

    private struct Page: Decodable {
        let records: [CoreRecord]
    }

    static func all() throws -> [CoreRecord] {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        let file = folder.appending(path: "docs/vendors/evidence/powerauth-records.json")
        return try JSONDecoder().decode(Page.self, from: Data(contentsOf: file)).records
    }

    /// What both sides agreed on, by the server's private key.
    func keys(_ stored: StoredActivation) throws -> ActivationKeys {
        try ActivationKeys(
            devicePrivateKey: BankExampleTests.Keys().server,
            serverPublicKey: stored.devicePublicKey)
    }

    /// The device's private key, which only the vault's opens.
    func deviceKey(_ stored: StoredActivation) throws -> P256.KeyAgreement.PrivateKey {
        let scalar = try BlockCipher.decrypt(
            stored.deviceKey.withBytes { Array($0) }, key: keys(stored).vault,
            iv: BlockCipher.zeroIV, padding: true
        ).withBytes { Data($0) }
        return try P256.KeyAgreement.PrivateKey(
            rawRepresentation: Data(count: 32 - scalar.count) + scalar)
    }
}

/// What the vendor's core has written is taken.
@Suite struct VendorRecordTests {
    @Test(arguments: try CoreRecord.all().filter { $0.fingerprint != nil })
    func `a record of the vendor's core is taken, with every key in it`(
        _ written: CoreRecord
    ) async throws {
        let phone = try await PowerAuthHarness()
        let report = await phone.provider.importEnrollments(from: [
            PowerAuthVendorRecord(
                status: Secret(try written.bytes), possessionKey: Secret(VendorState.possessionKey),
                biometry: .init(
                    key: Secret(VendorState.biometryKey), secret: Customer.finger),
                externalKey: Secret(VendorState.externalKey))
        ])
        let id = try #require(report.taken.first?.id)
        #expect(id.name == "6a7d3f02-9c1e-4b58-8f3a-0d6b5e2c4a91")
        #expect(try await phone.manager(id).fingerprint() == written.fingerprint)

        let stored = try #require(try StoredActivation.read(Secret(written.bytes)))
        let keys = try written.keys(stored)
        let record = try await phone.record(id)
        #expect(record.possession.hex == keys.possession.hex)
        #expect(record.transport.hex == keys.transport.hex)
        let pin = try await PINLock.Stretched(
            Secret(copying: Customer.pin), for: #require(record.locked?.knowledge))
        #expect(try record.locked?.knowledge.key(under: pin)?.hex == keys.knowledge.hex)
        let finger = try record.locked?.biometry.map {
            try BiometricLock.unlock($0, with: Customer.finger).hex
        }
        #expect(finger == (written.name.contains("no biometry") ? nil : keys.biometry.hex))
        #expect(
            try written.deviceKey(stored).publicKey.compressedRepresentation
                == stored.devicePublicKey.compressed)
        #expect(record.knowsCounterByte)
        #expect(Int(record.counter.byte) == written.signatures)
        var remarks: Set<PowerAuthImportReport.Remark> = []
        if written.name.contains("external key") { remarks.insert(.externalKeyRemoved) }
        if written.name.contains("recovery") { remarks.insert(.recoveryLeft) }
        #expect(report.entries.first?.remarks == remarks)
    }

    @Test func `a record of the vendor's core without an activation leaves nothing to take`()
        throws
    {
        let empty = try #require(try CoreRecord.all().first { $0.fingerprint == nil })
        #expect(try StoredActivation.read(Secret(empty.bytes)) == nil)
    }
}

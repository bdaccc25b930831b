import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// What of OOC/1 stays on the device, and what ends there.
struct OOCStorageTests {
    @Test func `a counter is written before it is used`() async throws {
        let harness = try await VectorEngine.activated()
        await harness.store.refuseWrites { _ in PushError(.storage, "Locked.") }
        await #expect(throws: OrchestrationError.self) { _ = try await harness.consume("30") }
        await #expect(throws: OrchestrationError.self) { _ = try await harness.register() }
        await harness.store.refuseWrites(nil)
        let fetch = try await harness.consume("30").sent
        #expect(try harness.server.open(fetch).counter == 6)
        #expect(try await harness.record().counter == 6)
    }

    @Test func `a damaged record is refused, whatever is damaged`() async throws {
        let harness = try await VectorEngine.activated()
        _ = try await harness.change()
        let whole = try await harness.record().sealed
        let record = try SecretRecord(reading: whole)
        for index in record.secrets.indices {
            var damaged = record
            damaged.secrets[index] = Secret(damaged.secrets[index].plain + [0])
            #expect(throws: OrchestrationError.self, "secret \(index)") {
                try DeviceRecord(reading: damaged.sealed, of: OOC.deviceName)
            }
        }
        for fields in [
            [:], ["format": "OOC/1"], ["format": "OOC/2", "counter": 9],
            ["format": "OOC/1", "counter": -1],
        ] as [JSON.Object] {
            let damaged = SecretRecord(fields: fields, secrets: record.secrets)
            #expect(throws: OrchestrationError.self) {
                try DeviceRecord(reading: damaged.sealed, of: OOC.deviceName)
            }
        }
        #expect(throws: OrchestrationError.self) { try DeviceRecord(reading: whole, of: "a0") }
        #expect(try DeviceRecord(reading: whole, of: OOC.deviceName).sealed.plain == whole.plain)
        await harness.store.damage(RecordKey("credential/onespan", OOC.deviceName))
        await #expect(throws: OrchestrationError.self) { _ = try await harness.consume("30") }
    }

    @Test func `the store holds no password and no key that a password masks`() async throws {
        let harness = try await VectorEngine.activated()
        _ = try await harness.change()
        let stored = OOC.hex(try await harness.vault.existing(harness.enrollment).secret.plain)
        for text in [OOC.pin, "246802", OOC.password] {
            #expect(!stored.contains(OOC.hex(Array(text.utf8))))
        }
        #expect(!stored.contains(OOC.hex(OOC.sha("instance 1"))))
        #expect(stored.contains(OOC.hex(OOC.sha("instance 0"))))
    }
}

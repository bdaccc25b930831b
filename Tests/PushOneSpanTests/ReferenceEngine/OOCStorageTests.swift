import Foundation
import IndependentEncodings
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
        var credential = try OneSpanCredential(reading: whole)
        let record = try Secret.Record(reading: try #require(credential.engine))
        for index in record.secrets.indices {
            var damaged = record
            damaged.secrets[index] = Secret(damaged.secrets[index].plain + [0])
            credential.engine = damaged.sealed
            #expect(throws: PushError.self, "secret \(index)") {
                try DeviceRecord(reading: credential.sealed)
            }
        }
        for fields in [
            [:], ["format": "OOC/1"], ["format": "OOC/2", "counter": 9],
            ["format": "OOC/1", "counter": -1],
        ] as [JSON.Object] {
            credential.engine = Secret.Record(fields: fields, secrets: record.secrets).sealed
            #expect(throws: PushError.self) { try DeviceRecord(reading: credential.sealed) }
        }
        credential.engine = nil
        #expect(throws: PushError.self) { try DeviceRecord(reading: credential.sealed) }
        #expect(try DeviceRecord(reading: whole).sealed.plain == whole.plain)
        // Another enrollment's place isn't this device's.
        let other = Enrollment.ID("a0", of: "onespan")
        try await harness.accounts.create(
            Enrollment(id: other, state: .active, created: harness.clock.now), whole)
        await #expect(throws: OrchestrationError.self) {
            _ = try await harness.engine.device(other.name).record
        }
        await harness.store.damage(.enrollment(harness.enrollment))
        await #expect(throws: OrchestrationError.self) { _ = try await harness.consume("30") }
    }

    @Test func `the store holds no password and no key that a password masks`() async throws {
        let harness = try await VectorEngine.activated()
        _ = try await harness.change()
        let account = try await harness.accounts.existing(harness.enrollment)
        let stored = OOC.hex(try account.credential(as: Secret.self).plain)
        for text in [OOC.pin, "246802", OOC.password] {
            #expect(!stored.contains(OOC.hex(Array(text.utf8))))
        }
        #expect(!stored.contains(OOC.hex(OOC.sha("instance 1"))))
        #expect(stored.contains(OOC.hex(OOC.sha("instance 0"))))
    }
}

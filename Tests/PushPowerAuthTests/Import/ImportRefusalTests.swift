import Crypto
import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// Records that can't be taken: each is told by a typed error, and leaves the store as it was.
@Suite struct ImportRefusalTests {
    private let phone: PowerAuthHarness
    private let state: VendorState

    init() async throws {
        phone = try await PowerAuthHarness()
        let keys = try BankExampleTests.Keys()
        state = try await VendorState(
            "6a7d3f02-9c1e-4b58-8f3a-0d6b5e2c4a91", device: keys.device,
            server: keys.server.publicKey, counter: Data(0x50...0x5F), byte: 7)
    }

    private func result(
        _ record: PowerAuthVendorRecord
    ) async throws -> PowerAuthImportReport.Result {
        let report = await phone.provider.importEnrollments(from: [record])
        return try #require(report.entries.first).result
    }

    /// What is said of a record, once it is sure that nothing was kept or sent.
    private func refusal(_ record: PowerAuthVendorRecord) async throws -> PushError.Code? {
        let before = try await phone.disk.contents
        let result = try await result(record)
        #expect(try await phone.disk.contents == before)
        #expect(await phone.transport.exchanges.isEmpty)
        guard case .left(let error) = result else { return nil }
        return error.code
    }

    private func refusal(_ bytes: Data) async throws -> PushError.Code? {
        try await refusal(
            PowerAuthVendorRecord(
                status: Secret(bytes), possessionKey: Secret(VendorState.possessionKey)))
    }

    private func refusal(
        _ change: (inout VendorState) -> Void
    ) async throws -> PushError.Code? {
        var state = state
        change(&state)
        return try await refusal(try state.record())
    }

    @Test func `the record that is spoiled here is good`() async throws {
        guard case .taken(let enrollment) = try await result(try state.record()) else {
            Issue.record("It wasn't taken.")
            return
        }
        #expect(enrollment.id.name == state.activationID)
    }

    @Test func `a record that is cut anywhere, or has one byte more, is damaged`() async throws {
        let whole = try state.bytes
        for count in 2..<whole.count {
            #expect(try await refusal(whole.prefix(count)) == .malformed, "\(count) bytes")
        }
        #expect(try await refusal(whole + [0]) == .malformed)
        for count in 0..<2 {
            #expect(try await refusal(whole.prefix(count)) == .unsupported, "\(count) bytes")
        }
    }

    @Test(arguments: [UInt8(ascii: "3"), UInt8(ascii: "7"), UInt8(ascii: "0"), 0xFF])
    func `a record of another version of the SDK isn't guessed at`(
        _ version: UInt8
    ) async throws {
        #expect(try await refusal { $0.version = version } == .unsupported)
    }

    @Test(arguments: ["", "P", "XA", "{\"version\":2}", "bplist00", "\u{0}\u{0}\u{0}"])
    func `another app's item, or one of SDK 2, isn't a record`(_ text: String) async throws {
        #expect(try await refusal(Data(text.utf8)) == .unsupported)
    }

    @Test func `a record without an activation leaves nothing to take`() async throws {
        var state = state
        state.holds = 0
        guard case .empty = try await result(try state.record()) else {
            Issue.record("There is no activation.")
            return
        }
        #expect(await phone.provider.importEnrollments(from: [try state.record()]).isComplete)
        #expect(try await phone.disk.contents.isEmpty)
        state.tail = Data([1])
        #expect(try await refusal(try state.record()) == .malformed)
    }

    @Test(arguments: [1, 3, 4, 0x12, 0x4D, 0x80, 0xFF] as [UInt8])
    func `what the record holds beside an activation isn't guessed at`(
        _ holds: UInt8
    ) async throws {
        #expect(try await refusal { $0.holds = holds } == .unsupported)
    }

    @Test func `an upgrade under way, or a flag that nobody knows, is left to the vendor's SDK`()
        async throws
    {
        for bit in 2..<10 {
            #expect(try await refusal { $0.flags |= 1 << bit } == .unsupported, "bit \(bit)")
        }
        for bit in 11..<32 {
            #expect(try await refusal { $0.flags |= 1 << bit } == .unsupported, "bit \(bit)")
        }
    }

    @Test func `without its external key nothing is taken`() async throws {
        #expect(
            try await refusal { $0.flags |= VendorState.usesExternalKey } == .unsupported)
    }

    @Test(arguments: [0, 15, 17, 32])
    func `keys of the keychain have 16 bytes`(_ count: Int) async throws {
        let other = Data(repeating: 1, count: count)
        #expect(try await refusal(try state.record(possessionKey: other)) == .malformed)
        #expect(try await refusal(try state.record(fingerKey: other)) == .malformed)
        var locked = state
        locked.flags |= VendorState.usesExternalKey
        #expect(try await refusal(try locked.record(externalKey: other)) == .malformed)
    }

    @Test func `what biometry unlocks can't be guessed`() async throws {
        let record = PowerAuthVendorRecord(
            status: Secret(try state.bytes), possessionKey: Secret(VendorState.possessionKey),
            biometry: .init(
                key: Secret(VendorState.biometryKey), secret: Secret(copying: "short")))
        #expect(try await refusal(record) == .verificationFailed)
    }

    @Test func `no PIN is stretched by rounds that nobody could wait for`() async throws {
        for rounds in [0, 100_000_001, UInt32.max] {
            #expect(try await refusal { $0.iterations = rounds } == .malformed)
        }
    }

    @Test func `a key that is no point of the curve is damaged`() async throws {
        for isCompressed in [false, true] {
            var state = state
            state.compressesServerKey = isCompressed
            for first in [5, 6] as [UInt8] {
                let server = state.serverKey
                var bytes = try state.bytes
                let place = try #require(bytes.firstRange(of: server))
                bytes.replaceSubrange(place, with: Data([first]) + server.dropFirst())
                #expect(try await refusal(bytes) == .malformed)
            }
        }
    }

    @Test func `no length leads beyond the record`() async throws {
        let whole = try state.bytes
        for place in 5..<whole.count {
            for length in [UInt8(0), 0x7F, 0x80, 0xBF, 0xC0, 0xFF] where whole[place] != length {
                var bytes = whole
                bytes[place] = length
                // Some of these bytes are keys, which any value may be.
                _ = await phone.provider.importEnrollments(
                    from: [
                        PowerAuthVendorRecord(
                            status: Secret(bytes),
                            possessionKey: Secret(VendorState.possessionKey))
                    ]
                )
            }
        }
        #expect(await phone.transport.exchanges.isEmpty)
    }

    @Test func `another activation under the same name stays as it is`() async throws {
        _ = try await result(try state.record())
        let other = try await VendorState(
            state.activationID, device: state.device,
            server: P256.KeyAgreement.PrivateKey().publicKey, counter: state.counter, byte: 0)
        #expect(try await refusal(try other.record()) == .conflict)
    }

    @Test func `a full store is told, and a good record beside a bad one is taken`() async throws {
        await phone.disk.refuseWrites { _ in PushError(.storage, "Full.") }
        #expect(try await refusal(try state.record()) == .storage)
        await phone.disk.refuseWrites(nil)
        let bad = PowerAuthVendorRecord(
            status: Secret([1]), possessionKey: Secret(VendorState.possessionKey))
        let report = await phone.provider.importEnrollments(from: [bad, try state.record()])
        #expect(!report.isComplete)
        #expect(report.taken.count == 1)
    }

    @Test
    func `with another phone's key of possession the server's status tells, and no PIN is spent`()
        async throws
    {
        let bank = Bank()
        let old = try await PowerAuthHarness(of: bank)
        let id = try await old.activated()
        let phone = try await PowerAuthHarness(of: bank)
        let record = try await VendorState(of: old, id).record(
            possessionKey: Data(repeating: 3, count: 16))
        #expect(await phone.provider.importEnrollments(from: [record]).isComplete)
        #expect(
            await code { try await phone.validate(.pin(Customer.pin), of: id) }
                == .unknownEnrollment)
        #expect(await phone.calls(.validation) == 0)
        #expect(try await bank.record(id).failedAttempts == 0)
        // The right key makes it good, once the wrong copy is gone.
        try await phone.authenticator.remove(id, from: .device)
        let right = try await VendorState(of: old, id).record()
        #expect(await phone.provider.importEnrollments(from: [right]).isComplete)
        try await phone.validate(.pin(Customer.pin), of: id)
    }

    @Test func `no secret of a record shows in what is said of it`() async throws {
        let record = try state.record()
        var shown = ""
        dump(record, to: &shown)
        dump(await phone.provider.importEnrollments(from: [record]), to: &shown)
        shown += "\(record)"
        for secret in [VendorState.possessionKey, VendorState.biometryKey] {
            #expect(!shown.contains(secret.base64EncodedString()))
            #expect(!shown.contains(Wire.hex(secret)))
        }
        #expect(shown.contains("<secret>"))
    }
}

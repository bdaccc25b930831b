import Crypto
import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

/// The worked example of a stored record's locks. The project computed it with a Python program by the
/// vendor's published sources; the vendor publishes no such numbers.
@Suite struct ExternalKeyExampleTests {
    private let keys: ActivationKeys
    private let externalKey = Secret(Data(0x80...0x8F))
    private let fingerKey = Secret(Data(0x90...0x9F))

    init() throws { keys = try BankExampleTests.Keys().keys }

    private func pinKey() async throws -> Secret {
        try await FactorLock.key(
            fromPIN: Secret(copying: "2580"), salt: Data(0..<16), iterations: 10_000)
    }

    @Test func `a PIN is stretched, and locks the key of knowledge, as in the example`()
        async throws
    {
        let key = try await pinKey()
        #expect(key.hex == "47a3d9d3fc5164a84541fe322af0bd31")
        let locked = try FactorLock.lock(keys.knowledge, with: key)
        #expect(locked.hex == "da94acb53c5f6cd5592800970dcf8bd9")
        let twice = try FactorLock.lock(locked, with: externalKey)
        #expect(twice.hex == "c01c0e36f3e0639e2042eed1369d01fc")
    }

    @Test func `the key of biometry is locked as in the example`() throws {
        let locked = try FactorLock.lock(keys.biometry, with: fingerKey)
        #expect(locked.hex == "68f15b3f7d0d4d655893e76f456edb49")
        let twice = try FactorLock.lock(locked, with: externalKey)
        #expect(twice.hex == "36fe379d9b16b6911f4cac39bb0e0cbd")
    }

    @Test func `the example's record is read, its second lock taken off, and its finger unlocked`()
        async throws
    {
        let pair = try BankExampleTests.Keys()
        let phone = try await PowerAuthHarness()
        var state = try await VendorState(
            "6a7d3f02-9c1e-4b58-8f3a-0d6b5e2c4a91", device: pair.device,
            server: pair.server.publicKey, counter: Data(0x50...0x5F), byte: 0)
        state.flags |= VendorState.usesExternalKey
        #expect(
            try state.bytes.contains(Sample.data(hex: "36fe379d9b16b6911f4cac39bb0e0cbd")))
        #expect(
            try state.bytes.contains(
                Sample.data("me1Rvpv8iz5ay230IQii2qwiF/2kPQvQ4gReNR6e2Kw=")))
        let report = await phone.provider.importEnrollments(from: [
            try state.record(externalKey: VendorState.externalKey)
        ])
        let id = try #require(report.taken.first?.id)
        let record = try await phone.record(id)
        #expect(record.possession.hex == keys.possession.hex)
        #expect(record.transport.hex == keys.transport.hex)
        let finger = try #require(record.locked?.biometry)
        #expect(
            try BiometricLock.unlock(finger, with: Customer.finger).hex == keys.biometry.hex)
        let pin = try await PINLock.Stretched(
            Secret(copying: Customer.pin), for: #require(record.locked?.knowledge))
        #expect(try record.locked?.knowledge.key(under: pin)?.hex == keys.knowledge.hex)
    }
}

import Crypto
import Foundation
import PushCore
import PushJOSE
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct VaultTests: ServedSuite {
    let served: Served
    let vault: PowerAuthVault

    init() async throws {
        served = try await Served()
        vault = try served.phone.manager(served.id).vault
    }

    private let pin = PowerAuthFactors.pin(Customer.pin)
    private let data = Data("contract 42".utf8)

    private func deviceKey() async throws -> P256.Signing.PublicKey {
        try P256.Signing.PublicKey(
            x963Representation: try #require(await bank.simulator.deviceKey(of: id.name)))
    }

    // MARK: What is in it

    @Test(arguments: PowerAuthVersion.allCases)
    func `the device's key signs what the bank can verify`(_ version: PowerAuthVersion) async throws
    {
        let phone = try await PowerAuthHarness(of: bank) { $0.version = version }
        let id = try await phone.activated()
        let vault = try phone.manager(id).vault
        let key = try P256.Signing.PublicKey(
            x963Representation: try #require(await bank.simulator.deviceKey(of: id.name)))
        let der = try await vault.signature(over: data, by: pin)
        #expect(key.isValidSignature(try .init(derRepresentation: der), for: data))
        let text = try await vault.jwt(of: ["sub": "1"], by: pin)
        #expect(text.hasPrefix("eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9."))
        let claims = try UnverifiedJWT(parsing: text).verified(by: ES256PublicKey(key)).claims
        #expect(claims["sub"] == "1")
        #expect(
            await bank.simulator.unlockReasons
                == ["SIGN_WITH_DEVICE_PRIVATE_KEY", "SIGN_WITH_DEVICE_PRIVATE_KEY"])
    }

    @Test func `a key for the app's data is the same each time, and another for each name`()
        async throws
    {
        func key(_ index: UInt64) async throws -> [UInt8] {
            try await vault.withEncryptionKey(.init(index: index), by: pin) {
                (key) throws(PushError) in key.withBytes { Array($0) }
            }
        }
        let first = try await key(0)
        #expect(first.count == 16)
        #expect(try await key(0) == first)
        #expect(try await key(.max) != first)
        #expect(try await !phone.disk.holds(first))
        #expect(await bank.simulator.unlockReasons.last == "FETCH_ENCRYPTION_KEY")
    }

    @Test func `a reason of the app's own goes with it`() async throws {
        try await vault.unlock(for: .init("open.safe-1_x"), by: pin) { _ in }
        #expect(await bank.simulator.unlockReasons == ["open.safe-1_x"])
        for text in ["", "ab", "a b", "ä12", String(repeating: "a", count: 256)] {
            #expect(Sample.refusal { _ = try PowerAuthVaultReason(text) } == .invalidArgument)
        }
    }

    // MARK: Refusals

    @Test func `a wrong PIN is sent once, and counts`() async throws {
        #expect(
            await attemptsLeft {
                _ = try await vault.signature(over: data, by: .pin("9999"))
            } == 4)
        #expect(await phone.calls(.vault) == 1)
        _ = try await vault.signature(over: data, by: pin)
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    @Test func `the last wrong PIN blocks, and then nothing is sent`() async throws {
        for _ in 0..<5 {
            _ = await code { try await vault.signature(over: data, by: .pin("9999")) }
        }
        #expect(await code { try await vault.signature(over: data, by: pin) } == .blocked)
        #expect(await phone.calls(.vault) == 5)
    }

    @Test func `biometry opens it only where the server's owner allows that`() async throws {
        let finger = PowerAuthFactors.biometry(Customer.finger)
        let error = await #expect(throws: PushError.self) {
            try await vault.signature(over: data, by: finger)
        }
        #expect(error?.code == .server(status: 400))
        #expect(error?.underlying as? PowerAuthErrorCode == .secureVault)
        #expect(try await bank.record(id).failedAttempts == 0)
        await bank.configure { $0.unlocksVaultWithBiometry = true }
        _ = try await vault.signature(over: data, by: finger)
    }

    @Test func `one factor, or three, aren't even sent`() async throws {
        let before = try await phone.record(id).counter
        let factors: [PowerAuthFactors] = [
            .possession, .pinAlone(Secret(copying: "1")),
            .pinAndBiometry(pin: Secret(copying: "1"), secret: Customer.finger),
        ]
        for factors in factors {
            #expect(
                await code { try await vault.signature(over: data, by: factors) }
                    == .invalidArgument)
        }
        #expect(await phone.calls(.vault) == 0)
        #expect(try await phone.record(id).counter == before)
    }

    @Test func `a key that the server lost is renewed once, and the PIN counts once`() async throws
    {
        _ = try await vault.signature(over: data, by: pin)
        await bank.simulator.forgetTemporaryKeys()
        #expect(
            await attemptsLeft {
                _ = try await vault.signature(over: data, by: .pin("9999"))
            } == 4)
        await bank.simulator.forgetTemporaryKeys()
        _ = try await vault.signature(over: data, by: pin)
    }

    static let badReplies: [(PowerAuthSimulator.BadAnswer, PushError.Code)] = [
        (.tampered, .untrusted), (.wrongKey, .untrusted),
        (.replaced(member: "encryptedVaultEncryptionKey", value: nil), .malformed),
        (.replaced(member: "encryptedVaultEncryptionKey", value: "AAAA"), .malformed),
        (.replaced(member: "encryptedVaultEncryptionKey", value: 7), .malformed),
        (
            .replaced(
                member: "encryptedVaultEncryptionKey",
                value: .string(Data(count: 32).base64EncodedString())), .untrusted
        ),
    ]

    @Test(arguments: badReplies)
    func `what isn't this device's key is refused, and nothing is stored`(
        _ fault: PowerAuthSimulator.BadAnswer, _ expected: PushError.Code
    ) async throws {
        let biometry = try #require(try await phone.record(id).locked?.biometry)
        await bank.simulator.spoil(by: fault, at: .vault)
        #expect(await code { try await vault.signature(over: data, by: pin) } == expected)
        await bank.simulator.spoil(by: fault, at: .vault)
        #expect(await code { try await phone.manager(id).addBiometry() } == expected)
        #expect(try await phone.record(id).locked?.biometry?.copy == biometry.copy)
    }

    @Test func `another activation's vault key is refused, and what has only its padding`()
        async throws
    {
        let other = try ActivationKeys(masterSecret: Secret([UInt8](repeating: 3, count: 16)))
        let transport = try await phone.record(id).transport
        for key in [other.vault, Secret([UInt8](repeating: 3, count: 31))] {
            let foreign = try BlockCipher.encrypt(
                key, key: transport, iv: BlockCipher.zeroIV, padding: true)
            await bank.simulator.spoil(
                by: .replaced(
                    member: "encryptedVaultEncryptionKey",
                    value: .string(Data(foreign).base64EncodedString())), at: .vault)
            #expect(await code { try await vault.signature(over: data, by: pin) } == .untrusted)
        }
    }

    // MARK: Lost replies

    @Test(arguments: [FaultPlan.Fault.dropAfter, .dropBefore])
    func `after a lost reply the counters come together, and it may be repeated`(
        _ fault: FaultPlan.Fault
    ) async throws {
        await phone.fail(.vault, fault)
        let asked = await phone.calls(.status)
        #expect(await code { try await vault.signature(over: data, by: pin) } == .interrupted)
        #expect(await phone.calls(.status) == asked + 1)
        _ = try await vault.signature(over: data, by: pin)
        let counters = await bank.counters(of: id)
        #expect(Set(counters).count == counters.count)
    }
}

import Crypto
import Foundation
import PushCore
import PushPowerAuthSimulator
import Testing

@testable import PushPowerAuth

/// What the vendor's SDK 1.x would keep of an activation, written by the vendor's published sources.
struct VendorState {
    static let possessionKey = Data(0x20...0x2F)
    static let biometryKey = Data(0x90...0x9F)
    static let externalKey = Data(0x80...0x8F)
    static let salt = Data(0..<16)

    static let usesExternalKey: UInt32 = 0x2
    static let counterByteIsValid: UInt32 = 0x400

    let activationID: String
    let device: P256.KeyAgreement.PrivateKey
    let server: P256.KeyAgreement.PublicKey
    let pinKey: Secret

    var version = UInt8(ascii: "6")
    var flags = counterByteIsValid
    var counter: Data
    var counterByte: UInt8
    var iterations: UInt32 = 10
    var hasBiometry = true
    var recovery = Data()
    /// What the record holds: `2` for an activation, `0` for nothing.
    var holds: UInt8 = 2
    /// Java servers send 65 bytes, and the vendor keeps them; 33 are possible.
    var compressesServerKey = false
    var tail = Data()

    /// Reads what a phone of ours has, as if the vendor's SDK had it.
    init(of phone: PowerAuthHarness, _ id: Enrollment.ID) async throws {
        let record = try await phone.record(id)
        let point = try #require(await phone.simulator.deviceKey(of: id.name))
        let drawn = phone.random.draws.lazy.filter { $0.count == 32 }
            .compactMap { try? P256.KeyAgreement.PrivateKey(rawRepresentation: $0) }
        device = try #require(drawn.first { $0.publicKey.x963Representation == point })
        server = try await phone.simulator.serverKey(of: id.name)
        activationID = id.name
        counter = Data(record.counter.data.array)
        counterByte = record.counter.byte
        pinKey = try await Self.pinKey()
    }

    /// The record of keys that are known beforehand.
    init(
        _ activationID: String, device: P256.KeyAgreement.PrivateKey,
        server: P256.KeyAgreement.PublicKey, counter: Data, byte: UInt8
    ) async throws {
        self.activationID = activationID
        self.device = device
        self.server = server
        self.counter = counter
        counterByte = byte
        pinKey = try await Self.pinKey()
    }

    private static func pinKey() async throws -> Secret {
        try await FactorLock.key(
            fromPIN: Secret(Customer.pin.utf8), salt: Self.salt, iterations: 10)
    }

    /// The activation's record.
    var bytes: Data {
        get throws {
            let keys = try ActivationKeys(
                devicePrivateKey: device, serverPublicKey: CurvePoint(server))
            var out = Data("PA".utf8) + [holds]
            guard holds != 0 else { return out + tail }
            out += Data("P".utf8) + [version]
            out += Self.block(counter) + Self.block(Data(activationID.utf8))
            out += Self.word(iterations) + Self.block(Self.salt)
            out += Self.block(try lock(keys.possession, Secret(Self.possessionKey)))
            out += Self.block(try lockTwice(keys.knowledge, pinKey))
            out += Self.block(
                hasBiometry
                    ? try lockTwice(keys.biometry, Secret(Self.biometryKey)) : Data())
            out += Self.block(try lock(keys.transport, Secret(Self.possessionKey)))
            out += Self.block(serverKey)
            out += Self.block(device.publicKey.compressedRepresentation)
            out += Self.block(try lockedDeviceKey(keys.vault)) + Self.word(flags)
            if version >= UInt8(ascii: "5") { out += Self.block(recovery) }
            if version >= UInt8(ascii: "6") { out += [counterByte] }
            return out + tail
        }
    }

    var serverKey: Data {
        compressesServerKey ? server.compressedRepresentation : server.x963Representation
    }

    /// The record as an app hands it over, with the finger's keys.
    func record(
        fingerKey: Data? = biometryKey, possessionKey: Data = possessionKey,
        externalKey: Data? = nil
    ) throws -> PowerAuthVendorRecord {
        PowerAuthVendorRecord(
            status: Secret(try bytes), possessionKey: Secret(possessionKey),
            biometry: fingerKey.map { .init(key: Secret($0), secret: Customer.finger) },
            externalKey: externalKey.map { Secret($0) })
    }

    private func lock(_ key: Secret, _ under: Secret) throws -> Data {
        Data(
            try BlockCipher.encrypt(key, key: under, iv: BlockCipher.zeroIV, padding: false))
    }

    /// Under the external key, too, if there is one.
    private func lockTwice(_ key: Secret, _ under: Secret) throws -> Data {
        let once = try lock(key, under)
        guard flags & Self.usesExternalKey != 0 else { return once }
        return try lock(Secret(once), Secret(Self.externalKey))
    }

    /// The number without its leading zeros, as the vendor writes it.
    private func lockedDeviceKey(_ vault: Secret) throws -> Data {
        let scalar = device.rawRepresentation.drop { $0 == 0 }
        return Data(
            try BlockCipher.encrypt(
                Secret(Data(scalar)), key: vault, iv: BlockCipher.zeroIV, padding: true))
    }

    private static func block(_ bytes: Data) -> Data {
        let length =
            bytes.count < 128
            ? [UInt8(bytes.count)] : [0x80 | UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
        return Data(length) + bytes
    }

    private static func word(_ number: UInt32) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
    }
}

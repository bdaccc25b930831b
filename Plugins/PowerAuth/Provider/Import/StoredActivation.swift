import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A record of the vendor's SDK 1.x, read, with its keys still locked (vendor: powerauth-mobile-sdk,
/// `PrivateTypes.cpp`).
struct StoredActivation: Sendable {
    let activationID: String
    let counter: SignatureCounter

    /// Whether the counter's byte is the counter's: older SDKs kept none.
    let knowsCounterByte: Bool

    let salt: Data
    let iterations: Int

    /// Each 16 bytes under a key of its own; `biometry` is `nil` if it wasn't set up.
    let possession, knowledge, transport: Secret
    let biometry: Secret?

    /// The device's private key under the vault's.
    let deviceKey: Secret

    let serverPublicKey, devicePublicKey: CurvePoint

    /// Whether knowledge and biometry are locked by an external key, too.
    let hasExternalKey: Bool

    /// Whether there is a recovery code.
    let hasRecoveryData: Bool

    private static let tag = Array("PA".utf8)
    private static let bodyTag = UInt8(ascii: "P")
    private static let versions = UInt8(ascii: "4")...UInt8(ascii: "6")
    private static let lockedDeviceKeys = [16, 32, 48]

    /// The only bit that is known of what the record says it holds.
    private static let hasActivation: UInt8 = 0x02

    private struct Flags {
        let bits: UInt32
        // 0x001 says that protocol 2 waited for the vault, and means nothing since.
        var hasExternalKey: Bool { bits & 0x002 != 0 }
        var pendingUpgrade: UInt32 { bits & 0x3FC }
        var hasCounterByte: Bool { bits & 0x400 != 0 }
        var hasOthers: Bool { bits >> 11 != 0 }
    }

    /// Reads a record.
    ///
    /// - Returns: `nil` if there is no activation in it.
    /// - Throws: `PushError` with the code `unsupported` if it isn't one of this SDK's, is of a later
    ///   one or was being upgraded; `malformed` if it is damaged.
    static func read(_ record: Secret) throws(PushError) -> StoredActivation? {
        try record.withBytes { (bytes) throws(PushError) in
            var reader = ByteReader(bytes)
            guard reader.byte() == tag[0], reader.byte() == tag[1] else {
                throw PushError(.unsupported, "It isn't a record of the vendor's SDK 1.x.")
            }
            guard let kept = reader.byte() else { throw damaged }
            guard kept & ~hasActivation == 0 else {
                throw PushError(.unsupported, "The record holds what isn't known.")
            }
            guard kept & hasActivation != 0 else {
                guard reader.isAtEnd else { throw damaged }
                return nil
            }
            guard reader.byte() == bodyTag, let version = reader.byte() else { throw damaged }
            guard versions ~= version else {
                throw PushError(.unsupported, "The record is of another version of the SDK.")
            }
            return try StoredActivation(&reader, version: version)
        }
    }

    private init(_ reader: inout ByteReader, version: UInt8) throws(PushError) {
        let counterData = try Self.secret(&reader, 16)
        activationID = try Self.name(&reader)
        guard let rounds = reader.word(), 1...100_000_000 ~= rounds else { throw Self.damaged }
        iterations = Int(rounds)
        salt = try Self.data(&reader, FactorLock.saltCount)
        possession = try Self.secret(&reader, 16)
        knowledge = try Self.secret(&reader, 16)
        guard let finger = reader.block(), finger.isEmpty || finger.count == 16 else {
            throw Self.damaged
        }
        biometry = finger.isEmpty ? nil : Secret(finger)
        transport = try Self.secret(&reader, 16)
        serverPublicKey = try Self.point(&reader)
        devicePublicKey = try Self.point(&reader)
        guard let scalar = reader.block(), Self.lockedDeviceKeys.contains(scalar.count) else {
            throw Self.damaged
        }
        deviceKey = Secret(scalar)
        let flags = try Self.flags(&reader)
        hasExternalKey = flags.hasExternalKey
        var recoveryCount = 0
        if version >= UInt8(ascii: "5") {
            guard let recovery = reader.block() else { throw Self.damaged }
            recoveryCount = recovery.count
        }
        hasRecoveryData = recoveryCount > 0
        var byte: UInt8?
        if version >= UInt8(ascii: "6") {
            guard let last = reader.byte() else { throw Self.damaged }
            byte = last
        }
        guard reader.isAtEnd else { throw Self.damaged }
        knowsCounterByte = byte != nil && flags.hasCounterByte
        counter = try SignatureCounter(data: counterData, byte: knowsCounterByte ? byte ?? 0 : 0)
    }

    private static func flags(_ reader: inout ByteReader) throws(PushError) -> Flags {
        guard let bits = reader.word() else { throw damaged }
        let flags = Flags(bits: bits)
        guard flags.pendingUpgrade == 0 else {
            throw PushError(
                .unsupported, "The activation was being upgraded: the vendor's SDK must end that.")
        }
        guard !flags.hasOthers else {
            throw PushError(.unsupported, "The record has a flag that isn't known.")
        }
        return flags
    }

    private static func name(_ reader: inout ByteReader) throws(PushError) -> String {
        guard let bytes = reader.block(), let text = String(validUTF8: bytes),
            text.isPlainName
        else { throw damaged }
        return text
    }

    private static func data(_ reader: inout ByteReader, _ count: Int) throws(PushError) -> Data {
        guard let bytes = reader.block(), bytes.count == count else { throw damaged }
        return Data(bytes)
    }

    /// A point of 33 or 65 bytes: the server's key is kept as its server sent it.
    private static func point(_ reader: inout ByteReader) throws(PushError) -> CurvePoint {
        guard let bytes = reader.block() else { throw damaged }
        return try CurvePoint(Data(bytes))
    }

    private static func secret(
        _ reader: inout ByteReader, _ count: Int
    ) throws(PushError) -> Secret {
        guard let bytes = reader.block(), bytes.count == count else { throw damaged }
        return Secret(bytes)
    }

    private static let damaged = PushError(.malformed, "The vendor's record is damaged.")
}

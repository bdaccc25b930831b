import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The 32 bytes that tell a device how its activation stands.
struct StatusBlob {
    let state: PowerAuthSimulator.ActivationState
    let counterByte: UInt8
    let failedAttempts: Int
    let maximumFailedAttempts: Int
    let lookAhead: Int
    let counter: Data
    /// Five bytes that mean nothing.
    let filler: Data

    func plain(transport: Data) -> Data {
        var bytes = Data([0xDE, 0xC0, 0xDE, 0xD1, state.rawValue, 3, 3])
        bytes += filler
        bytes += [
            counterByte, UInt8(clamping: failedAttempts), UInt8(clamping: maximumFailedAttempts),
            UInt8(clamping: lookAhead),
        ]
        return bytes
            + KeySchedule.deriveInternal(KeySchedule.derive(transport, index: 4000), counter)
    }

    static func initializationVector(transport: Data, challenge: Data, nonce: Data) -> Data {
        KeySchedule.deriveInternal(
            KeySchedule.derive(transport, index: 3000), challenge + nonce)
    }

    func encrypted(transport: Data, challenge: Data, nonce: Data) -> Data? {
        let iv = Self.initializationVector(
            transport: transport, challenge: challenge, nonce: nonce)
        return KeySchedule.cipher(
            plain(transport: transport), key: transport, iv: iv, padding: false)
    }
}

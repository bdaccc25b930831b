import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A device's activation, as the server keeps it.
struct Activation: Sendable {
    let id: String
    let user: String
    let application: PowerAuthSimulator.Application
    let code: String
    let signature: String
    let serverKey: P256.KeyAgreement.PrivateKey
    let options: PowerAuthSimulator.ActivationOptions
    /// When its code, or its commit, is too late.
    let deadline: Int64

    var state = PowerAuthSimulator.ActivationState.created
    var blockedReason: String?
    var flags: Set<String>
    var device: EnrolledDevice?
    var failedAttempts = 0
    var registration: PushRegistration?

    /// The keys shared with the device, once there is one.
    var keys: ActivationKeys? { device?.keys }

    var text: String { "\(code)#\(signature)" }

    var isUnfinished: Bool { state == .created || state == .pendingCommit }
}

/// What a device told of itself when it exchanged keys, and the counter since.
struct EnrolledDevice: Sendable {
    let publicKey: P256.KeyAgreement.PublicKey
    let keys: ActivationKeys
    var name: String?
    let platform: String?
    let info: String?
    let extras: String?
    let firstCounter: Data
    private(set) var number: UInt64 = 0
    private(set) var counter: Data

    init?(
        _ members: JSON.Object, server: P256.KeyAgreement.PrivateKey, firstCounter: Data
    ) {
        guard let point = Data(base64: members["devicePublicKey"]?.string),
            let key = P256.KeyAgreement.PublicKey(point: point),
            let keys = ActivationKeys(server: server, device: key)
        else { return nil }
        publicKey = key
        self.keys = keys
        name = members["activationName"]?.string
        platform = members["platform"]?.string
        info = members["deviceInfo"]?.string
        extras = members["extras"]?.string
        self.firstCounter = firstCounter
        counter = firstCounter
    }

    /// Goes to another value of the counter, by its number from the first on.
    mutating func setCounter(_ number: UInt64) {
        counter = (0..<number).reduce(firstCounter) { value, _ in KeySchedule.next(value) }
        self.number = number
    }

    /// Finds the value that a signature was made with, and goes to the one after it.
    mutating func accept(
        within lookAhead: Int, _ isSignature: (_ counter: Data) -> Bool
    ) -> SignatureVerdict.Check {
        var value = counter
        for step in 0..<UInt64(max(lookAhead, 1)) {
            let next = KeySchedule.next(value)
            if isSignature(value) {
                counter = next
                number += step + 1
                return .right
            }
            value = next
        }
        return .wrong
    }
}

/// Where pushes for an activation go.
struct PushRegistration: Hashable, Sendable {
    let platform: String
    let environment: String?
    let token: DeviceToken
}

/// The text that a user scans or types.
enum ActivationCode {
    /// The code of ten bytes: them and their checksum in Base32, in four groups.
    static func text(of bytes: Data) -> String {
        let checked = bytes + Data(bigEndian: checksum(bytes))
        let text = Array(Base32.encode(checked).utf8.prefix(20))
        return stride(from: 0, to: text.count, by: 5)
            .map { String(decoding: text[$0..<min($0 + 5, text.count)], as: UTF8.self) }
            .joined(separator: "-")
    }

    /// CRC-16/ARC.
    static func checksum(_ bytes: Data) -> UInt16 {
        bytes.reduce(UInt16(0)) { value, byte in
            (0..<8).reduce(value ^ UInt16(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xA001 : value >> 1
            }
        }
    }
}

import Crypto
import PushCore

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
    let name: String?
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

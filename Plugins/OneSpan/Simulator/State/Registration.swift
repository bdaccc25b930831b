import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A user's latest invitation to activate a device.
struct Registration {
    let id: String
    let user: String
    let account: Int
    let password: [UInt8]
    let expiry: Date
    var failures = 0
    /// Set when a device is activated: the password is used up.
    var isUsed = false
    /// The device that has proved the password and isn't activated yet.
    var provisional: [UInt8]?
    /// Half activations, oldest first.
    var flows: [ActivationFlow] = []
    /// The device that used it.
    var device: [UInt8]?
}

/// An activation between its first and its second round trip.
struct ActivationFlow {
    let id: [UInt8]
    /// es and ee, one behind the other.
    let shared: [UInt8]
    /// After S1.
    let transcript: [UInt8]
}

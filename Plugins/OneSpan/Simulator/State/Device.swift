import Crypto
public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The server's record of a device.
struct Device {
    /// How far its activation is.
    enum Step {
        /// Waits for the proofs of the first and the third instance.
        case provisional
        /// Waits for the proof of the password's instance.
        case halfConfirmed
        /// All instances are confirmed.
        case confirmed
    }

    let id: [UInt8]
    let user: String
    let account: Int
    let registration: String
    let activationFlow: [UInt8]
    let activationTranscript: [UInt8]
    let signingKey: P256.Signing.PublicKey
    let fromDevice: SymmetricKey
    let toDevice: SymmetricKey
    /// By authentication method.
    var instanceKeys: [UInt8: SymmetricKey]
    var step = Step.provisional
    var activationChallenge: [UInt8]
    var counters = CounterWindow(highest: 2)
    /// The last counter of a message to it.
    var sent: UInt64 = 2
    /// Where pushes go; another device of the same user may take it away.
    var notificationIdentifier: String?
    /// The counter of the registration that was applied last; 0 for none.
    var registrationCounter: UInt64 = 0
    /// The nonce of the last accepted password change.
    var changeNonce: [UInt8]?
    /// What was fetched, oldest first.
    var fetches: [Fetch] = []
    /// Set when it was removed; its keys stay to tell it so.
    var removal: Date?

    /// Activation is over on the server only once pushes can reach the device.
    var isActivated: Bool { step == .confirmed && registrationCounter > 0 && removal == nil }

    /// A request that was handed out in a flow.
    struct Fetch {
        let flow: [UInt8]
        let requestID: String
        let challenge: [UInt8]
    }
}

/// Which counters of a device were accepted.
struct CounterWindow {
    private(set) var highest: UInt64
    /// Bit n stands for `highest` − n.
    private var seen: UInt64 = .max

    init(highest: UInt64) {
        self.highest = highest
    }

    /// Takes a counter once, if it isn't 64 or more behind.
    mutating func accepts(_ counter: UInt64) -> Bool {
        if counter > highest {
            let step = counter - highest
            seen = step < 64 ? seen << step | 1 : 1
            highest = counter
            return true
        }
        let distance = highest - counter
        guard distance < 64, seen & (1 << distance) == 0 else { return false }
        seen |= 1 << distance
        return true
    }
}

extension OneSpanSimulator {
    /// A device as the platform's console shows it, without its keys.
    public struct RegisteredDevice: Hashable, Sendable, Identifiable {
        /// Its identifier: 32 hexadecimal digits, in lower case.
        public let id: String

        /// Whether it has finished its activation *and* its notification registration.
        public let isActivated: Bool

        /// Whether it has an instance for biometry.
        public let hasBiometry: Bool

        /// Where its pushes go, as it registered that.
        public let notificationIdentifier: String?

        /// The device token in that identifier; `nil` if it isn't this project's reference form.
        public let deviceToken: DeviceToken?

        /// The highest counter it has used.
        public let counter: UInt64
    }
}

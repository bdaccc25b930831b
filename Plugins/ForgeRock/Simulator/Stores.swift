public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What AM's token store holds for one message identifier.
struct StoredMessage {
    /// What an incoming message must prove.
    struct Expectation {
        let key: Secret
        /// Compared to the character: padded standard Base64.
        let response: String
    }

    enum Content {
        case registration(Registration)
        /// A registration's content is replaced by what the device posted, so that it proves
        /// nothing any more.
        case registered
        case login(Login)
    }

    struct Registration {
        let user: String
        let journeyExpiry: Date
        /// What a combined invitation offers beside push.
        var codes: CodeDevice?
    }

    struct Login {
        enum State { case open, accepted, denied }

        /// The number on the login page, where one is asked for.
        let expectedNumber: Int32?
        /// Whether the first valid answer is final, as with the old authentication module.
        let isOneShot: Bool
        var state = State.open
        /// What the device sent. A later answer without a number leaves it.
        var number: Int32?
    }

    let expectation: Expectation
    let expiry: Date
    var content: Content
}

/// A device profile in AM's user store.
struct DeviceProfile {
    let mechanismUID: String
    let key: Secret
    var deviceID: String
    var communicationType: String
    var name: String?
    var type: String?

    /// Exactly `apns` means Apple; anything else means Google.
    var deviceToken: DeviceToken {
        communicationType == "apns" ? .apns(hex: deviceID, isSandbox: false) : .fcm(deviceID)
    }
}

extension ForgeRockSimulator {
    /// A device as AM's user profile shows it, without its key.
    public struct RegisteredDevice: Hashable, Sendable {
        /// The identifier that the device gave itself; claim `u` of each push.
        public let mechanismUID: String

        /// Where pushes go. The wire doesn't tell APNs' sandbox from production: never sandbox.
        public let deviceToken: DeviceToken

        /// The device's name. AM learns it only by a refresh.
        public let name: String?

        /// What the device says it is, such as `ios`.
        public let type: String?
    }
}

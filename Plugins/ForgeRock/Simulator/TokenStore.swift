import PushCore

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
        /// A registration's content is replaced by what the device posted, so that nothing can
        /// prove itself against it any more.
        case registered
        case login(Login)
    }

    struct Registration {
        let user: String
        let journeyExpiry: Date
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

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }

    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}

extension Date {
    /// Milliseconds since 1970, as Java's clock tells them.
    var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
}

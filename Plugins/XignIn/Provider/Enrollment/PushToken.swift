import PushCore

/// A device token as managers get it.
struct PushToken {
    let text: String
    let platform: String

    init(_ token: DeviceToken) {
        switch token {
        case .apns(let hex, _): (text, platform) = (hex, "apns")
        case .fcm(let token): (text, platform) = (token, "fcm")
        @unknown default: (text, platform) = ("", "test")
        }
    }

    /// The platform of a device without a token.
    static func platform(of device: Device) -> String {
        switch device.platform {
        case .apple: "apns"
        case .android: "fcm"
        default: "test"
        }
    }
}

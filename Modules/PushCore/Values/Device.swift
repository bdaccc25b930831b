/// What a vendor may be told about this device.
public struct Device: Hashable, Sendable {
    /// The family a device belongs to.
    @nonexhaustive
    public enum Platform: String, Hashable, Sendable {
        /// iOS, iPadOS, macOS and their relatives.
        case apple
        /// Android.
        case android
        /// Anything else, such as a Linux shell.
        case other
    }

    /// The name by which its owner knows it.
    public let name: String

    /// The device's family.
    public let platform: Platform

    /// Creates a description.
    public init(name: String, platform: Platform = .current) {
        self.name = name
        self.platform = platform
    }
}

extension Device.Platform {
    #if canImport(Darwin)
    /// The family of the machine this code was built for.
    public static let current = Device.Platform.apple
    #elseif os(Android)
    /// The family of the machine this code was built for.
    public static let current = Device.Platform.android
    #else
    /// The family of the machine this code was built for.
    public static let current = Device.Platform.other
    #endif
}

extension DeviceToken {
    /// A carrier of pushes from a vendor to a device. An app may have a token of each.
    @nonexhaustive
    public enum Service: String, CaseIterable, Hashable, Sendable {
        /// Apple Push Notification service.
        case apns
        /// Firebase Cloud Messaging.
        case fcm
    }
}

/// Where a vendor can reach this device.
@nonexhaustive
public enum DeviceToken: Hashable, Sendable {
    /// Apple Push Notification service: the token's bytes as hexadecimal digits.
    case apns(hex: String, isSandbox: Bool)
    /// Firebase Cloud Messaging: the registration token.
    case fcm(String)
}

extension DeviceToken {
    /// Makes a token from the bytes that Apple's push service gives to an app, in upper-case
    /// digits.
    public static func apns(_ token: some Sequence<UInt8>, isSandbox: Bool) -> DeviceToken {
        .apns(hex: Hexadecimal.text(Array(token), upperCase: true), isSandbox: isSandbox)
    }

    /// The token's push service.
    public var service: DeviceToken.Service {
        switch self {
        case .apns: .apns
        case .fcm: .fcm
        }
    }

    /// Far longer than the tokens that push services give.
    private static let longest = 1024

    /// Refuses what no push service gives, before it is kept: what is too long for a vendor would
    /// stay, and be refused again and again.
    func check() throws(PushError) {
        switch self {
        case .apns(let hex, _):
            guard 2...Self.longest ~= hex.utf8.count, hex.utf8.count.isMultiple(of: 2),
                hex.utf8.allSatisfy({ Hexadecimal.value(of: $0) != nil })
            else {
                throw PushError(
                    .invalidArgument, "The APNs token isn't 1 to 512 bytes in hexadecimal.")
            }
        case .fcm(let text):
            guard 1...Self.longest ~= text.utf8.count,
                text.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
            else {
                throw PushError(
                    .invalidArgument,
                    "The FCM token isn't 1 to 1,024 characters of ASCII without a space.")
            }
        }
    }
}

extension DeviceToken: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        let text = try members.required("token") { $0.string }
        switch try members.required("service", { $0.string }) {
        case "apns": self = .apns(hex: text, isSandbox: members["sandbox"]?.bool ?? false)
        case "fcm": self = .fcm(text)
        default: throw PushError(.malformed, "A device token is of an unknown service.")
        }
    }

    var json: JSON {
        switch self {
        case .apns(let hex, let isSandbox):
            ["service": "apns", "token": .string(hex), "sandbox": .bool(isSandbox)]
        case .fcm(let text): ["service": "fcm", "token": .string(text)]
        }
    }
}

extension DeviceToken {
    /// Whether an enrollment's vendor has the newest device token.
    @nonexhaustive
    public enum State: Hashable, Sendable {
        /// The vendor has acknowledged the newest token.
        case current
        /// The vendor hasn't been told yet; that is tried until it works.
        case waiting
        /// The vendor has no call for a new token: enroll again to change it.
        case unsupported
    }
}

/// The device token that an enrollment's vendor should have.
enum DesiredDeviceToken: Hashable {
    /// The app has said nothing of it.
    case unspecified
    /// This token; `nil` if it was taken away.
    case token(DeviceToken?)

    /// The token, if there is one.
    var token: DeviceToken? {
        if case .token(let token) = self { token } else { nil }
    }
}

import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A login's push on its way through SNS.
struct LoginPush {
    let configuration: ForgeRockSimulator.Configuration
    let type: PushType
    let messageID: String
    /// The text of the alert.
    let text: String
    /// The signed claims.
    let token: String

    /// The message for SNS: one text per platform, each JSON inside JSON.
    var envelope: JSON {
        let apns = JSON.string(apnsPayload.text)
        return [
            "default": .string(text), "GCM": .string(fcmMessage.text),
            "APNS": apns, "APNS_SANDBOX": apns,
        ]
    }

    private var apnsPayload: JSON {
        var aps: JSON.Object = ["alert": .string(text), "sound": "default"]
        if configuration.generation > .a {
            aps["category"] = .string(configuration.isAM73 ? type.category : "authentication")
        }
        if configuration.isAM73 { aps["interruption-level"] = "time-sensitive" }
        aps["messageId"] = .string(messageID)
        aps["data"] = .string(token)
        aps["content-available"] = 1
        if configuration.isAM73 { aps["mutable-content"] = 1 }
        return ["aps": .object(aps)]
    }

    private var fcmMessage: JSON {
        [
            "priority": "high",
            "data": ["message": .string(token), "messageId": .string(messageID)],
        ]
    }

    /// What the device gets of an envelope: an APNs payload, or a Firebase message's data.
    static func payload(
        from envelope: JSON, for deviceToken: DeviceToken
    ) throws(PushError) -> Data {
        if case .apns(_, let isSandbox) = deviceToken {
            guard let text = envelope[isSandbox ? "APNS_SANDBOX" : "APNS"]?.string else {
                throw PushError(.malformed, "The envelope has no text for APNs.")
            }
            return Data(text.utf8)
        }
        guard let text = envelope["GCM"]?.string, let data = try JSON(parsing: text)["data"] else {
            throw PushError(.malformed, "The envelope has no data for Firebase.")
        }
        return data.data
    }
}

/// What a push asks for: claim `k`.
enum PushType: String {
    case `default`, challenge, biometric

    var category: String {
        self == .default ? "authentication" : "authentication_\(rawValue)"
    }
}

extension PushType {
    /// The type that asks for what a login wants.
    init(_ kind: SimulatedLogin.Kind) {
        switch kind {
        case .number: self = .challenge
        case .biometry: self = .biometric
        case .confirm: self = .default
        }
    }
}

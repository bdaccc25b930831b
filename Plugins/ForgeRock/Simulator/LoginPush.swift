import PushCore

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

extension JSON {
    /// The text that AM's JSON library makes of a value, spaces and all: an empty object reads
    /// `{  }`.
    var spacedText: String {
        switch self {
        case .object(let object):
            let members = object.members.map {
                "\(JSON.string($0.name).text): \($0.value.spacedText)"
            }
            return "{ \(members.joined(separator: ", ")) }"
        case .array(let elements):
            return "[ \(elements.map(\.spacedText).joined(separator: ", ")) ]"
        default: return text
        }
    }
}

extension RandomSource {
    /// An index below a bound that is far below 2⁶⁴, from 8 bytes, most significant first.
    func index(below bound: Int) -> Int {
        let number = bytes(8).withBytes { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return Int(number % UInt64(bound))
    }
}

import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The wire of the fictional vendor Delta, with a toy MAC that protects nothing but simulations.
enum DeltaWire {
    static let host = "delta.example"
    static let right = "34"
    static let options = ["12", "34", "56"]
    static let pin = "1234"
    static let wrongPIN = "0000"

    static var macField: HTTPField.Name? { HTTPField.Name("delta-mac") }

    static func mac(_ bytes: some Sequence<UInt8>, key: String, over status: Int = 0) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(status)
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 36)
    }

    static func choice(_ resolution: Resolution) -> String {
        switch resolution {
        case .approve: "approve"
        case .choose(let text), .enter(let text): "number:\(text)"
        case .deny(.custom(let text)): "deny:\(text)"
        case .deny(.fraud): "deny:fraud"
        case .deny(.ignore): "deny:ignore"
        case .deny: "deny:unexpected"
        }
    }

    /// Says that something waits.
    static let hint: JSON = ["kind": "hint"]

    static func token(_ token: DeviceToken?) -> JSON {
        switch token {
        case .fcm(let text): .string(text)
        case .apns(let hex, _): .string("apns:\(hex)")
        default: .null
        }
    }

    static func push(_ claims: JSON, to enrollment: Enrollment.ID, key: String) -> JSON {
        let text = claims.text
        return [
            "delta": .string(text), "e": .string(enrollment.name),
            "p": .string(enrollment.provider.rawValue), "m": .string(mac(text.utf8, key: key)),
        ]
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    static func date(_ seconds: Int) -> String {
        let days = seconds / 86400
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
        // Years counted from March, so that the leap day is the last of its year.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * fromMarch + 2) / 5 + 1
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        return "\(weekdays[days % 7]), \(two(day)) \(months[month - 1]) \(year) "
            + "\(two(hour)):\(two(minute)):\(two(second)) GMT"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

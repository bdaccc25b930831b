import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The wire of the fictional vendor Acme, with a toy MAC that protects nothing but tests.
///
/// Requests and replies carry a MAC in a field of their own; times are milliseconds since 1970.
enum AcmeWire {
    static let macField = HTTPField.Name("acme-mac") ?? .authorization
    static let numbers = ["12", "34", "56"]
    static let right = "34"
    static let pin = "1234"
    static let wrongPIN = "0000"

    static func key(of enrollment: String) -> String { "key-\(enrollment)" }

    static func mac(_ bytes: some Sequence<UInt8>, key: String, over status: Int = 0) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(status)
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }

    static func milliseconds(_ date: Date?) -> JSON {
        date.map { .integer(Int64(($0.timeIntervalSince1970 * 1000).rounded())) } ?? .null
    }

    static func date(_ milliseconds: JSON?) -> Date? {
        milliseconds?.integer.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    static func choice(_ resolution: Resolution) -> String {
        switch resolution {
        case .approve: "approve"
        case .choose(let text), .enter(let text): "number:\(text)"
        case .deny(.custom(let text)): "deny:\(text)"
        case .deny(let reason): "deny:\(reason)"
        }
    }

    static func token(_ token: DeviceToken?) -> JSON {
        switch token {
        case .fcm(let text)?, .apns(let text, _)?: .string(text)
        case nil: .null
        }
    }

    /// An answer's bytes: what the device says, and its MAC.
    static func answer(_ members: JSON.Object, key: String) -> JSON {
        let text = JSON.object(members).text
        return ["answer": .string(text), "mac": .string(mac(text.utf8, key: key))]
    }

    // MARK: Pushes

    /// A push of signed text, which needn't be JSON; more members ride beside the signature.
    static func payload(
        _ text: String, to enrollment: String, key: String? = nil, beside: JSON.Object = [:]
    ) -> JSON {
        var members: JSON.Object = [
            "acme": .string(text), "to": .string(enrollment),
            "mac": .string(mac(text.utf8, key: key ?? self.key(of: enrollment))),
        ]
        for (name, value) in beside.members { members[name] = value }
        return .object(members)
    }

    /// A push of signed text, which needn't be JSON; more members ride beside the signature.
    static func push(
        text: String, to enrollment: String, key: String? = nil, beside: JSON.Object = [:]
    ) throws(PushError) -> PushMessage {
        try PushMessage(json: payload(text, to: enrollment, key: key, beside: beside).data)
    }

    /// A push whose claims are signed for an enrollment.
    static func push(
        _ claims: JSON, to enrollment: String, key: String? = nil, beside: JSON.Object = [:]
    ) throws(PushError) -> PushMessage {
        try push(text: claims.text, to: enrollment, key: key, beside: beside)
    }

    static func ask(
        _ id: String, to enrollment: String = "ada", prompt: String = "approve",
        issued: Date? = nil, expiry: Date? = nil
    ) throws(PushError) -> PushMessage {
        try push(claims(id, prompt: prompt, issued: issued, expiry: expiry), to: enrollment)
    }

    /// What the push of a challenge says, and the server's list of what waits.
    static func claims(
        _ id: String, prompt: String = "approve", issued: Date? = nil, expiry: Date? = nil
    ) -> JSON {
        [
            "kind": "ask", "id": .string(id), "prompt": .string(prompt), "title": "Log in?",
            "issued": milliseconds(issued), "expiry": milliseconds(expiry),
        ]
    }

    static func cancel(
        _ id: String, to enrollment: String = "ada", _ reason: Withdrawal.Reason = .cancelled
    ) throws(PushError) -> PushMessage {
        try push(cancelled(id, reason), to: enrollment)
    }

    static func cancelled(_ id: String, _ reason: Withdrawal.Reason) -> JSON {
        ["kind": "cancel", "id": .string(id), "reason": .string(reason.rawValue)]
    }

    static func future(
        _ id: String, to enrollment: String = "ada", withdraws: Bool, until expiry: Date? = nil
    ) throws(PushError) -> PushMessage {
        try push(
            [
                "kind": "hologram", "id": .string(id), "withdraws": .bool(withdraws),
                "expiry": milliseconds(expiry),
            ], to: enrollment)
    }

    /// A message that proves nothing: `challenges`, `finished`, `enrollment` or `inbox`.
    static func hint(
        _ topic: String, _ name: String = "", at enrollments: [String] = ["ada"]
    ) throws(PushError) -> PushMessage {
        let body: JSON = [
            "acme-hint": .string(topic), "name": .string(name),
            "at": .array(enrollments.map(JSON.string)),
        ]
        return try PushMessage(json: body.data)
    }

    // MARK: Times

    /// Seconds since 1970 as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    static func httpDate(_ seconds: Int) -> String {
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

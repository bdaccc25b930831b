public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a verified push says, under the vendor's names.
///
/// It's also the `details(as:)` of a challenge of this plugin.
public struct NotificationContent: Hashable, Sendable {
    /// What the sender node adds (*Custom Payload Attributes*): JSON as text, `{  }` if empty.
    public let customPayload: String?

    /// The text to show (*User Message*). Made by AM from a template; not safe to interpret.
    public let message: String?

    /// Where the login came from (*Share Context Info*): JSON as text. Every key is optional; see
    /// ``origin``.
    public let contextInfo: String?

    /// What the push asks for; `nil` if this version doesn't know it, and then it can only be
    /// denied.
    public let pushType: PushNotification.PushType?

    /// The numbers as AM sent them, such as `11,22,33`; `nil` unless the type is `challenge`.
    public let numbersChallenge: String?

    /// The numbers to choose from, in the order to show them; empty if the user enters one.
    public let numbersChallengeArray: [Int]

    /// When AM made the push, by AM's clock. If AM doesn't say, it is the time of arrival: by AM's
    /// clock as far as that is known, else by this device's.
    public let timeAdded: Date

    /// How long the push may be answered, in seconds.
    public let ttl: Double

    /// Claims that this version doesn't know, by name.
    public let additionalData: JSON.Object

    /// The name that the vendor's newer SDK has for ``message``.
    public var messageText: String? { message }

    /// The moment after which the push counts as expired.
    public var timeExpired: Date { timeAdded + ttl }

    init(_ claims: PushClaims) {
        customPayload = claims.customPayload
        message = claims.message
        contextInfo = claims.contextInfo
        if case .known(let type) = claims.kind { pushType = type } else { pushType = nil }
        numbersChallenge = claims.numbers
        numbersChallengeArray = claims.options
        timeAdded = claims.issued
        ttl = claims.timeToLive
        additionalData = JSON.Object(
            claims.all.members.filter { !Self.known.contains($0.name) }.map { ($0.name, $0.value) })
    }

    private static let known: Set = ["c", "u", "l", "t", "i", "m", "k", "n", "p", "x", "d", "e"]

    /// The parts of ``contextInfo`` that AM is known to write, safe to show.
    public var origin: Challenge.Origin {
        guard let info = contextInfo.flatMap({ try? JSON(parsing: $0) }) else {
            return Challenge.Origin()
        }
        return Challenge.Origin(
            address: info["remoteIp"]?.string, place: info["location"]?.place,
            agent: info["userAgent"]?.string)
    }
}

extension JSON {
    /// The place, if it is one as AM writes it.
    var place: Challenge.Place? {
        guard let latitude = self["latitude"]?.double, let longitude = self["longitude"]?.double
        else { return nil }
        return Challenge.Place(latitude: latitude, longitude: longitude)
    }
}

import Foundation
import HTTPTypes

/// The headers of a request to APNs, checked
/// (developer.apple.com, "Sending notification requests to APNs").
///
/// How long each is comes first: an expression or a set may take the square of that.
struct APNsHeaders: Equatable {
    let topic: String
    let isUrgent: Bool

    /// `nil` where a push may be kept, or is wanted now or never.
    let expiry: Date?
    let collapse: String?

    private static let all: [HTTPField.Name] = [
        .apnsID, .apnsTopic, .apnsPushType, .apnsPriority, .apnsExpiration,
        .apnsCollapseID,
    ]

    private static let pushTypes: Set<String> = [
        "alert", "background", "complication", "controls", "fileprovider", "liveactivity",
        "location", "mdm", "pushtotalk", "voip", "widgets",
    ]

    /// The identifier that a request names; `nil` if it is no UUID in its canonical form.
    static func id(in fields: HTTPFields) -> String? {
        fields[.apnsID].flatMap { text in
            guard text.utf8.count == 36 else { return nil }
            return text.wholeMatch(
                of: /[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}/
            ).map { _ in text }
        }
    }

    /// `usualTopic` is the topic of a request that names none; `nil` if it must name one.
    init(_ fields: HTTPFields, usualTopic: String? = nil) throws(APNsReason) {
        for name in Self.all where fields[values: name].count > 1 { throw .duplicateHeaders }
        if fields[.apnsID] != nil, Self.id(in: fields) == nil { throw .badMessageID }
        topic = try Self.topic(fields[.apnsTopic] ?? usualTopic)
        let pushType = fields[.apnsPushType]
        if let pushType, pushType.utf8.count > 40 || !Self.pushTypes.contains(pushType) {
            throw .invalidPushType
        }
        isUrgent = try Self.isUrgent(fields[.apnsPriority], for: pushType)
        expiry = try Self.expiry(fields[.apnsExpiration])
        collapse = fields[.apnsCollapseID]
        if let collapse, collapse.isEmpty || collapse.utf8.count > 64 { throw .badCollapseID }
    }

    private static func topic(_ text: String?) throws(APNsReason) -> String {
        guard let text, !text.isEmpty else { throw .missingTopic }
        guard text.utf8.count <= 255, text.wholeMatch(of: /[A-Za-z0-9.\-]+/) != nil else {
            throw .badTopic
        }
        return text
    }

    private static func isUrgent(
        _ text: String?, for pushType: String?
    ) throws(APNsReason) -> Bool {
        guard (text?.utf8.count ?? 0) <= 2 else { throw .badPriority }
        switch text {
        // A push in the background must not be urgent; not to say so is no error.
        case nil: return pushType != "background"
        case "10": if pushType == "background" { throw .badPriority } else { return true }
        case "5", "1": return false
        default: throw .badPriority
        }
    }

    private static func expiry(_ text: String?) throws(APNsReason) -> Date? {
        guard let text else { return nil }
        guard text.utf8.count <= 12, text.wholeMatch(of: /[0-9]{1,12}/) != nil,
            let seconds = Double(text)
        else {
            throw .badExpirationDate
        }
        // Now or never: a device that is there gets it.
        return seconds == 0 ? nil : Date(timeIntervalSince1970: seconds)
    }
}

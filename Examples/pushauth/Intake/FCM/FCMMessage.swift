import Foundation
import PushCore

/// The body of `messages:send`, checked (firebase.google.com, REST reference `projects.messages`).
struct FCMMessage: Equatable {
    /// Whom it is for.
    enum Target: Equatable {
        case token(String)
        /// A topic, or a condition on topics.
        case followers
    }

    let target: Target

    /// What the app gets.
    let data: [String: String]

    let isUrgent: Bool
    let collapse: String?

    /// How long it is wanted, in seconds; 0 for now or never.
    let lifetime: Double

    /// Whether it is only to be checked.
    let isTrial: Bool

    /// The largest message, in bytes of its keys and values.
    static let maximumSize = 4096

    /// Four weeks, in seconds: the longest lifetime, and the one by default.
    private static let longest: Double = 2_419_200

    init(_ body: Data) throws(FCMRefusal) {
        guard let root = try? JSON(parsing: body).object else { throw .unreadable }
        let request = FCMFields(root, at: "")
        try request.allow(["validate_only", "validateOnly", "message"])
        isTrial = try request.bool("validate_only", "validateOnly") ?? false
        guard let message = try request.fields("message") else {
            throw .invalidArgument("message", "The message is missing.")
        }
        try message.allow([
            "name", "data", "notification", "android", "webpush", "apns", "fcm_options",
            "fcmOptions", "token", "topic", "condition",
        ])
        target = try Self.target(of: message)
        let android = try message.fields("android")
        try android?.allow([
            "collapse_key", "collapseKey", "priority", "ttl", "restricted_package_name",
            "restrictedPackageName", "data", "notification", "fcm_options", "fcmOptions",
            "direct_boot_ok", "directBootOk", "bandwidth_constrained_ok", "bandwidthConstrainedOk",
            "restricted_satellite_ok", "restrictedSatelliteOk",
        ])
        // Android's own data takes the place of the general one.
        let (general, own) = (try message.texts("data"), try android?.texts("data"))
        data = own ?? general ?? [:]
        try Self.check(data, with: message.fields("notification"))
        isUrgent = try Self.isUrgent(android)
        collapse = try android?.text("collapse_key", "collapseKey")
        lifetime = try Self.lifetime(android)
    }

    private static func target(of message: FCMFields) throws(FCMRefusal) -> Target {
        let token = try message.text("token")
        let others = [try message.text("topic"), try message.text("condition")].compactMap(\.self)
        switch (token, others.count) {
        case (let token?, 0):
            let isPlain = token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            guard !token.isEmpty, token.utf8.count <= 4096, isPlain else {
                throw .invalidArgument("message.token", "This is no registration token.")
            }
            return .token(token)
        case (nil, 1): return .followers
        case (nil, 0): throw .invalidArgument("message", "There is no token, topic or condition.")
        default:
            throw .invalidArgument("message", "There may be one of token, topic and condition.")
        }
    }

    private static func check(
        _ data: [String: String], with notification: FCMFields?
    ) throws(FCMRefusal) {
        for name in data.keys {
            let isReserved =
                ["from", "message_type"].contains(name) || name.hasPrefix("google.")
                || name.hasPrefix("gcm.notification.")
            if isReserved || name.isEmpty {
                throw .invalidArgument("message.data", "A key of the data is reserved.")
            }
        }
        let shown = try ["title", "body", "image"].map { name throws(FCMRefusal) in
            try notification?.text(name)?.utf8.count ?? 0
        }
        let size = data.reduce(shown.reduce(0, +)) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard size <= maximumSize else {
            throw .invalidArgument("message", "The message is larger than \(maximumSize) bytes.")
        }
    }

    private static func isUrgent(_ android: FCMFields?) throws(FCMRefusal) -> Bool {
        switch try android?.text("priority")?.uppercased() {
        case nil, "NORMAL": return false
        case "HIGH": return true
        default:
            throw .invalidArgument("message.android.priority", "It is NORMAL or HIGH.")
        }
    }

    /// Seconds with up to nine digits after the point, and an `s`: `3.5s`.
    private static func lifetime(_ android: FCMFields?) throws(FCMRefusal) -> Double {
        guard let text = try android?.text("ttl") else { return longest }
        guard let match = text.wholeMatch(of: /([0-9]{1,7}(\.[0-9]{1,9})?)s/),
            let seconds = Double(match.1), seconds <= longest
        else {
            throw .invalidArgument("message.android.ttl", "It is 0s to 2419200s.")
        }
        return seconds
    }
}

import Foundation
import PushCore

/// The body of `messages:send`, checked (firebase.google.com, REST reference `projects.messages`).
struct FCMMessage: Equatable {
    /// Whom it is for.
    enum Target: Equatable {
        case token(String)
        /// A Firebase installation ID.
        case installation(String)
        /// A topic, or a condition on topics.
        case followers

        /// The largest message, in bytes of its keys and values. Google documents the smaller limit
        /// for topics; that it is a condition's, too, is inferred.
        var maximumSize: Int { self == .followers ? 2048 : Self.longest }

        static let longest = 4096
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

    init(_ body: Data) throws(FCMRefusal) {
        guard let root = try? JSON(parsing: body).object else { throw .unreadable }
        let request = FCMFields(root, at: "")
        try request.allow(["validate_only", "validateOnly", "message"])
        isTrial = try request.bool("validate_only", "validateOnly") ?? false
        guard let message = try request.fields("message", of: "Message") else {
            throw .invalidArgument("message", "The message is missing.")
        }
        try message.allow([
            "name", "data", "notification", "android", "android_v2", "androidV2", "webpush", "apns",
            "fcm_options", "fcmOptions", "fid", "token", "topic", "condition",
        ])
        target = try Self.target(of: message)
        let (general, android) = (try message.data(), try FCMAndroid(of: message))
        data = android.data ?? general ?? [:]
        let shown = try message.fields("notification", of: "Notification")
        try shown?.allow(["title", "body", "image"])
        try Self.check(data, with: shown, for: target)
        isUrgent = android.isUrgent
        collapse = android.collapse
        lifetime = android.lifetime
    }

    private static func target(of message: FCMFields) throws(FCMRefusal) -> Target {
        let (fid, token) = (try message.text("fid"), try message.text("token"))
        let followers = [try message.text("topic"), try message.text("condition")]
        let count = ([fid, token] + followers).count { $0 != nil }
        guard count <= 1 else {
            throw .invalidArgument(
                "message", "There may be one of fid, token, topic and condition.")
        }
        if let fid {
            guard FCMToken.isInstallation(fid) else {
                throw .invalidArgument("message.fid", "This is no Firebase installation ID.")
            }
            return .installation(fid)
        }
        if let token {
            let isPlain = token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            guard !token.isEmpty, token.utf8.count <= 4096, isPlain else {
                throw .invalidArgument(
                    "message.token", "The registration token is not a valid FCM registration token")
            }
            return .token(token)
        }
        guard count == 1 else {
            throw .invalidArgument("message", "There is no fid, token, topic or condition.")
        }
        return .followers
    }

    private static func check(
        _ data: [String: String], with notification: FCMFields?, for target: Target
    ) throws(FCMRefusal) {
        let shown = try ["title", "body", "image"].map { name throws(FCMRefusal) in
            try notification?.text(name)?.utf8.count ?? 0
        }
        let size = data.reduce(shown.reduce(0, +)) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard size <= target.maximumSize else {
            throw .invalidArgument(
                "message",
                "The message has \(size) bytes, and may have \(target.maximumSize) for its target.")
        }
    }
}

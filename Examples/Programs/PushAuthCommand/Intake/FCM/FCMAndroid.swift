import PushCore

/// What a message asks for on Android: `android`, or in its place `android_v2`
/// (firebase.google.com, REST reference `projects.messages`).
struct FCMAndroid: Equatable {
    /// Takes the place of the message's own data.
    var data: [String: String]?
    var isUrgent = false
    var collapse: String?

    /// How long it is wanted, in seconds; 0 for now or never.
    var lifetime = longest

    /// Four weeks, in seconds: the longest lifetime, and the one by default.
    private static let longest: Double = 2_419_200

    /// What both forms have.
    private static let names: Set<String> = [
        "collapse_key", "collapseKey", "ttl", "restricted_package_name", "restrictedPackageName",
        "data", "fcm_options", "fcmOptions", "direct_boot_ok", "directBootOk",
        "bandwidth_constrained_ok", "bandwidthConstrainedOk", "restricted_satellite_ok",
        "restrictedSatelliteOk",
    ]

    init(of message: FCMFields) throws(FCMRefusal) {
        let first = try message.fields("android", of: "AndroidConfig")
        let second = try message.fields("android_v2", "androidV2", of: "AndroidConfigV2")
        guard first == nil || second == nil else {
            throw .invalidArgument("message", "There may be one of android and android_v2.")
        }
        if let first {
            try first.allow(Self.names.union(["priority", "notification"]))
            isUrgent = try Self.isUrgent(first)
        }
        if let second { isUrgent = try Self.isUrgentV2(second) }
        guard let either = first ?? second else { return }
        data = try either.data()
        collapse = try either.text("collapse_key", "collapseKey")
        lifetime = try Self.lifetime(either)
    }

    private static func isUrgent(_ android: FCMFields) throws(FCMRefusal) -> Bool {
        guard let text = try android.text("priority") else { return false }
        switch text.asciiWord {
        case "normal": return false
        case "high": return true
        default:
            throw android.refusal("priority", FCMFields.type("AndroidMessagePriority"), text)
        }
    }

    /// This form has no priority: what is shown is delivered at once, and the rest may wait.
    private static func isUrgentV2(_ android: FCMFields) throws(FCMRefusal) -> Bool {
        try android.allow(
            names.union([
                "remote_notification", "remoteNotification", "background_sync", "backgroundSync",
            ]))
        let sync = try android.fields(
            "background_sync", "backgroundSync", of: "AndroidBackgroundSyncMessage")
        try sync?.allow([])
        let shown = try android.fields(
            "remote_notification", "remoteNotification", of: "AndroidRemoteNotification")
        try shown?.allow([
            "mutable_content", "mutableContent", "notification", "use_as_v1_data_message",
            "useAsV1DataMessage",
        ])
        return shown != nil
    }

    /// Seconds with up to nine digits after the point, and an `s`: `3.5s`.
    private static func lifetime(_ android: FCMFields) throws(FCMRefusal) -> Double {
        guard let text = try android.text("ttl") else { return longest }
        guard text.utf8.count <= 18,
            let match = text.wholeMatch(of: /([0-9]{1,7}(\.[0-9]{1,9})?)s/),
            let seconds = Double(match.1), seconds <= longest
        else {
            throw android.refusal("ttl", "type.googleapis.com/google.protobuf.Duration", text)
        }
        return seconds
    }
}

/// The scopes of Google's services (developers.google.com, "OAuth 2.0 Scopes for Google APIs"), as far
/// as this program knows them: what Google's libraries for Firebase ask for, and some of the others.
enum GoogleScope {
    private static let prefix = "https://www.googleapis.com/auth/"

    private static let names: Set<String> = [
        "analytics", "androidpublisher", "bigquery", "calendar", "cloud-platform",
        "cloud-platform.read-only", "compute", "datastore", "devstorage.full_control",
        "devstorage.read_only", "devstorage.read_write", "drive", "drive.file", "firebase",
        "firebase.database", "firebase.messaging", "firebase.readonly", "firebase.remoteconfig",
        "gmail.send", "identitytoolkit", "logging.write", "monitoring", "pubsub", "spreadsheets",
        "userinfo.email", "userinfo.profile",
    ]

    /// A scope without what most have in common; `nil` if it isn't known.
    static func name(of scope: Substring) -> String? {
        if ["openid", "email", "profile"].contains(scope) { return String(scope) }
        guard scope.hasPrefix(prefix) else { return nil }
        let name = String(scope.dropFirst(prefix.count))
        return names.contains(name) ? name : nil
    }
}

/// A notification on this device, pending or delivered; perhaps one of the app's own.
public struct PostedNotification: Hashable, Sendable {
    /// Its identifier.
    public let identifier: String

    /// Its category; `nil` if it is none of ours.
    public let category: LocalNotification.Category?

    /// Creates a value.
    public init(identifier: String, category: LocalNotification.Category?) {
        self.identifier = identifier
        self.category = category
    }
}

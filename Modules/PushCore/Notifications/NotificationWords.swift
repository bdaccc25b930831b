/// The texts of one notification.
public struct NotificationWords: Hashable, Sendable {
    /// Its title.
    public var title: String

    /// Its text.
    public var body: String

    /// Creates texts.
    public init(title: String, body: String) {
        self.title = title
        self.body = body
    }
}

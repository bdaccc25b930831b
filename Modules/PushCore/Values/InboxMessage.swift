/// A message that a vendor keeps for the user, and that asks nothing.
public struct InboxMessage: Hashable, Sendable, Identifiable {
    /// The vendor's identifier.
    public let id: String

    /// The subject. Safe to show.
    public let subject: String

    /// Whether the vendor counts it as read.
    public let isRead: Bool

    /// Creates a message; its text is made safe to show.
    public init(id: String, subject: String, isRead: Bool) {
        self.id = id
        self.subject = DisplayText.sanitized(subject, .title)
        self.isRead = isRead
    }
}

import PushCore

/// A message that starts a process.
public struct XignPushMessageAuthentication: Hashable, Sendable, Codable {
    /// Whether the app may drop it silently if it can't act on it now.
    public let isIgnorable: Bool

    /// The process. With ``idmIdentifier`` it names the notification to take away on a cancel.
    public let processId: String

    /// The manager that sent it.
    public let idmIdentifier: String

    /// The title that the manager recommends, made safe to show.
    public let title: String?

    /// The text that the manager recommends, made safe to show.
    public let message: String?

    /// How urgent it is, for display alone.
    public let priority: XignPushMessagePriority

    init(_ notice: Notice) {
        isIgnorable = notice.isIgnorable
        processId = notice.id.name
        idmIdentifier = notice.id.enrollment.name
        title = notice.title
        message = notice.body
        priority = XignPushMessagePriority(notice.priority)
    }
}

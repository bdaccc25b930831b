/// Reads messages that a vendor keeps for the user, and that ask nothing.
public protocol Inbox: Sendable {
    /// The messages, newest first.
    func messages(of enrollment: Enrollment.ID) async throws(PushError) -> [InboxMessage]

    /// The newest messages that weren't read, newest first: what is asked for after a push, which
    /// may be a stranger's. By default all ``messages(of:)``; where reading them takes several
    /// calls, a provider makes one or two here, as an answer may wait behind them.
    func unread(of enrollment: Enrollment.ID) async throws(PushError) -> [InboxMessage]
}

extension Inbox {
    /// All messages.
    public func unread(
        of enrollment: Enrollment.ID
    ) async throws(PushError) -> [InboxMessage] {
        try await messages(of: enrollment)
    }
}

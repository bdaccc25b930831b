/// Reads messages that a vendor keeps for the user, and that ask nothing.
public protocol Inbox: Sendable {
    /// The messages, newest first.
    func messages(of enrollment: Enrollment.ID) async throws(PushError) -> [InboxMessage]
}

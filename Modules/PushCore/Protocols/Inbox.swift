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

/// Tells what was answered before, for vendors that keep it.
public protocol HistorySource: Sendable {
    /// How the user must be verified before the history is told: alternatives of factors, `[]` for
    /// none, which is the default.
    func verification(for enrollment: Enrollment.ID) async throws(PushError) -> [[Factor]]

    /// Challenges that are over, newest first.
    ///
    /// - Parameters:
    ///   - enrollment: The enrollment they belonged to.
    ///   - evidence: The user's proofs, where the vendor needs them.
    func history(
        of enrollment: Enrollment.ID, evidence: [Evidence]
    ) async throws(PushError) -> [Challenge]
}

extension HistorySource {
    /// Nobody is asked.
    public func verification(
        for enrollment: Enrollment.ID
    ) async throws(PushError) -> [[Factor]] {
        []
    }
}

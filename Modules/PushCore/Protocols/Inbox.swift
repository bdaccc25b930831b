/// Reads the messages that a vendor keeps for the user and that ask nothing.
public protocol Inbox: Sendable {
    /// The messages, newest first.
    ///
    /// - Throws: ``PushError``: `unknownEnrollment` if there is no such enrollment; `unreachable`,
    ///   `interrupted`, `server` or `malformed` if the vendor couldn't be asked.
    func messages(of account: Account) async throws(PushError) -> [InboxMessage]

    /// The newest unread messages, newest first.
    ///
    /// The core asks for them after a push, which may be a stranger's, and an answer may wait
    /// meanwhile. The default is all ``messages(of:)``; if that takes several calls, make one or
    /// two here.
    ///
    /// - Throws: ``PushError``, with the codes of ``messages(of:)``.
    func unread(of account: Account) async throws(PushError) -> [InboxMessage]
}

extension Inbox {
    /// All messages.
    ///
    /// - Throws: ``PushError``, with the codes of ``messages(of:)``.
    public func unread(
        of account: Account
    ) async throws(PushError) -> [InboxMessage] {
        try await messages(of: account)
    }
}

/// A message that a vendor keeps for the user and that asks nothing.
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

/// Tells what was answered before, if the vendor keeps it.
public protocol HistorySource: Sendable {
    /// How the user must be verified before the history is told: alternatives of factors, `[]` for
    /// none, which is the default.
    ///
    /// - Throws: ``PushError`` with the code `unknownEnrollment` if there is no such enrollment,
    ///   `malformed` or `storage` if its record can't be read.
    func verification(of account: Account) async throws(PushError) -> [[Factor]]

    /// Challenges that are over, newest first.
    ///
    /// - Parameters:
    ///   - account: The enrollment they belonged to.
    ///   - evidence: The user's proofs, if the vendor needs them.
    /// - Returns: The challenges, each as it was asked.
    /// - Throws: ``PushError``: `verificationFailed` if a proof is missing, `notTaken` if the
    ///   vendor refuses it; `unknownEnrollment`, `unreachable`, `interrupted`, `server` or
    ///   `malformed` if the vendor couldn't be asked.
    func history(
        of account: Account, evidence: [Evidence]
    ) async throws(PushError) -> [Challenge]
}

extension HistorySource {
    /// No verification.
    ///
    /// - Throws: Nothing.
    public func verification(
        of account: Account
    ) async throws(PushError) -> [[Factor]] {
        []
    }
}

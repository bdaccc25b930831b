public import PushCore

/// The messages that the server keeps for the user of one activation, and that ask nothing.
///
/// Each call waits for the enrollment's turn, so don't make a call inside a turn.
///
/// Every call throws `PushError`: `server` with the status if the server refuses, and the
/// ``PowerAuthErrorCode`` as its `underlying`; `blocked` or `unknownEnrollment` if the activation
/// isn't active.
public struct PowerAuthInbox: Sendable {
    let turn: ActivationTurn

    /// How many messages weren't read yet.
    ///
    /// - Returns: The number that the server counts.
    /// - Throws: `PushError`: `server`, `blocked` or `unknownEnrollment` as above; `unreachable` or
    ///   `interrupted` if the server wasn't reached.
    public func countUnread() async throws(PushError) -> Int {
        try await turn { (channel, account) async throws(PushError) -> Int in
            try await InboxCalls(channel: channel).countUnread(of: account)
        }
    }

    /// One page of the messages, in the server's order and without their bodies. Messages that
    /// can't be read are left out.
    ///
    /// - Parameters:
    ///   - page: The number of the page, from 0.
    ///   - size: How many messages a page has, at least 1.
    ///   - onlyUnread: Whether to leave out what was read.
    /// - Returns: The messages of the page.
    /// - Throws: `PushError`: `invalidArgument` for a page that can't be, else with the codes of
    ///   ``countUnread()``.
    public func messages(
        page: Int = 0, size: Int = 50, onlyUnread: Bool = false
    ) async throws(PushError) -> [PowerAuthInboxMessage] {
        guard page >= 0, size >= 1 else {
            throw PushError(
                .invalidArgument, "Pages are counted from 0, and hold a message at least.",
                provider: turn.enrollment.provider)
        }
        let part = InboxPage(number: page, size: size, onlyUnread: onlyUnread)
        return try await turn {
            (channel, account) async throws(PushError) -> [PowerAuthInboxMessage] in
            try await InboxCalls(channel: channel).list(part, of: account).messages
        }
    }

    /// One message with its body.
    ///
    /// - Throws: `PushError`, with the codes of ``countUnread()``; `malformed` if the message can't
    ///   be read.
    public func message(_ id: String) async throws(PushError) -> PowerAuthInboxMessage {
        try await turn { (channel, account) async throws(PushError) -> PowerAuthInboxMessage in
            try await InboxCalls(channel: channel).message(id, of: account)
        }
    }

    /// Counts a message as read.
    ///
    /// - Throws: `PushError`, with the codes of ``countUnread()``.
    public func markRead(_ id: String) async throws(PushError) {
        try await turn { (channel, account) async throws(PushError) in
            try await InboxCalls(channel: channel).markRead(id, of: account)
        }
    }

    /// Counts every message as read.
    ///
    /// - Throws: `PushError`, with the codes of ``countUnread()``.
    public func markAllRead() async throws(PushError) {
        try await turn { (channel, account) async throws(PushError) in
            try await InboxCalls(channel: channel).markAllRead(of: account)
        }
    }
}

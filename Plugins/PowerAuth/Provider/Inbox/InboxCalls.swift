import PushCore

/// The inbox as the core reads it, and the calls that the vendor's door makes.
///
/// The caller holds the enrollment's turn.
struct InboxCalls: Inbox {
    let channel: PowerAuthChannel

    /// As many pages as ``messages(of:)`` reads, at most: a thousand messages.
    private static let maximumPageCount = 20
    private static let unreadPageCount = 2
    private static let pageSize = 50

    /// The newest messages, newest first, a thousand at most.
    func messages(of account: Account) async throws(PushError) -> [InboxMessage] {
        try await pages(Self.maximumPageCount, onlyUnread: false, of: account)
    }

    /// The newest messages that weren't read, a hundred at most: a stranger's push costs two calls.
    func unread(of account: Account) async throws(PushError) -> [InboxMessage] {
        try await pages(Self.unreadPageCount, onlyUnread: true, of: account)
    }

    private func pages(
        _ most: Int, onlyUnread: Bool, of account: Account
    ) async throws(PushError) -> [InboxMessage] {
        var found: [PowerAuthInboxMessage] = []
        for page in 0..<most {
            let (count, messages) = try await list(
                InboxPage(number: page, size: Self.pageSize, onlyUnread: onlyUnread), of: account
            )
            found += messages
            if count < Self.pageSize { break }
        }
        return Self.newestFirst(found)
            .map { InboxMessage(id: $0.id, subject: $0.subject, isRead: $0.read) }
    }

    /// The messages of several pages, each once: one that arrives meanwhile moves others to the
    /// next page, where they stand again.
    static func newestFirst(_ messages: [PowerAuthInboxMessage]) -> [PowerAuthInboxMessage] {
        var seen: Set<[UInt8]> = []
        return messages.filter { seen.insert(Array($0.id.utf8)).inserted }
            .sorted { $0.timestampCreated > $1.timestampCreated }
    }

    /// - Returns: The messages, and how many the server sent: one that can't be read is missing.
    func list(
        _ page: InboxPage, of account: Account
    ) async throws(PushError) -> (count: Int, messages: [PowerAuthInboxMessage]) {
        let value = try await call(
            "/api/inbox/message/list",
            [
                "page": .integer(page.number),
                "size": .integer(page.size), "onlyUnread": .bool(page.onlyUnread),
            ], of: account)
        guard let list = value.array else {
            throw PushError(.malformed, "The server sent no list of messages.")
        }
        let messages = list.compactMap { try? PowerAuthInboxMessage($0) }
        if messages.count < list.count {
            channel.notice("A message in the inbox can't be read.", at: account.id)
        }
        return (list.count, messages)
    }

    func countUnread(of account: Account) async throws(PushError) -> Int {
        let value = try await call("/api/inbox/count", nil, of: account)
        guard let count = value["countUnread"]?.integer.flatMap(Int.init(exactly:)), count >= 0
        else { throw PushError(.malformed, "The server told no count of messages.") }
        return count
    }

    func message(
        _ id: String, of account: Account
    ) async throws(PushError) -> PowerAuthInboxMessage {
        let value = try await call(
            "/api/inbox/message/detail", ["id": .string(id)], of: account)
        let message = try PowerAuthInboxMessage(detail: value)
        guard message.id.utf8.elementsEqual(id.utf8) else {
            throw PushError(.malformed, "The server sent another message than asked for.")
        }
        return message
    }

    func markRead(_ id: String, of account: Account) async throws(PushError) {
        _ = try await call("/api/inbox/message/read", ["id": .string(id)], of: account)
    }

    func markAllRead(of account: Account) async throws(PushError) {
        _ = try await call("/api/inbox/message/read-all", nil, of: account)
    }

    private func call(
        _ path: String, _ requestObject: JSON?, of account: Account
    ) async throws(PushError) -> JSON {
        let body: JSON = requestObject.map { ["requestObject": $0] } ?? [:]
        let reply = try await channel.sendWithToken(account, path, body: body.data)
        guard reply.isSuccess else {
            throw await channel.failure(reply, of: account, factors: .possession)
        }
        return reply.responseObject ?? .null
    }
}

/// Which part of the inbox's list is asked for.
struct InboxPage {
    let number: Int
    let size: Int
    let onlyUnread: Bool
}

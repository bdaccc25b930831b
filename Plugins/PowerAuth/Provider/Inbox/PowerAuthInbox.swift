public import PushCore

/// The messages that the server keeps for the user, and that ask nothing.
///
/// Call it in the enrollment's turn, `PushAuthenticator.turn(of:)`: where there is no token yet, one
/// is made first, with a signature.
///
/// Every call throws `PushError`: `server` with the status if the server refuses, and the
/// ``PowerAuthErrorCode`` as its `underlying`; `blocked` or `unknownEnrollment` if the activation
/// isn't active.
public struct PowerAuthInbox: Inbox {
    /// As many pages as ``messages(of:)`` reads, at most: a thousand messages.
    private static let greatestPageCount = 20
    private static let pageSize = 50

    private let provider: PowerAuth

    /// The inbox of a provider's activations.
    public init(provider: PowerAuth) {
        self.provider = provider
    }

    /// The newest messages, newest first, a thousand at most.
    public func messages(
        of enrollment: Enrollment.ID
    ) async throws(PushError) -> [InboxMessage] {
        var seen: Set<String> = []
        var found: [PowerAuthInboxMessage] = []
        for page in 0..<Self.greatestPageCount {
            let (count, messages) = try await list(
                of: enrollment, page: page, size: Self.pageSize, onlyUnread: false)
            // A message that arrives meanwhile moves others to the next page.
            found += messages.filter { seen.insert($0.id).inserted }
            if count < Self.pageSize { break }
        }
        return found.sorted { $0.timestampCreated > $1.timestampCreated }
            .map { InboxMessage(id: $0.id, subject: $0.subject, isRead: $0.read) }
    }

    /// One page of the messages, in the server's order.
    ///
    /// - Parameters:
    ///   - enrollment: The enrollment.
    ///   - page: The number of the page, from 0.
    ///   - size: How many messages a page has, at least 1.
    ///   - onlyUnread: Whether to leave out what was read.
    /// - Returns: The messages without their bodies; one that can't be read isn't among them.
    public func page(
        _ page: Int, size: Int, onlyUnread: Bool = false, of enrollment: Enrollment.ID
    ) async throws(PushError) -> [PowerAuthInboxMessage] {
        guard page >= 0, size >= 1 else {
            throw provider.error(
                .invalidArgument, "Pages are counted from 0, and hold a message at least.")
        }
        return try await list(of: enrollment, page: page, size: size, onlyUnread: onlyUnread)
            .messages
    }

    private func list(
        of enrollment: Enrollment.ID, page: Int, size: Int, onlyUnread: Bool
    ) async throws(PushError) -> (count: Int, messages: [PowerAuthInboxMessage]) {
        let value = try await call(
            "/api/inbox/message/list",
            [
                "page": .number(.init(Int64(page))), "size": .number(.init(Int64(size))),
                "onlyUnread": .bool(onlyUnread),
            ], of: enrollment)
        guard let list = value.array else {
            throw provider.error(.malformed, "The server sent no list of messages.")
        }
        let messages = list.compactMap { try? PowerAuthInboxMessage($0) }
        if messages.count < list.count {
            provider.notice("A message in the inbox can't be read.", at: enrollment)
        }
        return (list.count, messages)
    }

    /// How many messages weren't read yet.
    public func countUnread(of enrollment: Enrollment.ID) async throws(PushError) -> Int {
        let value = try await call("/api/inbox/count", nil, of: enrollment)
        guard let count = value["countUnread"]?.integer.flatMap(Int.init(exactly:)), count >= 0
        else { throw provider.error(.malformed, "The server told no count of messages.") }
        return count
    }

    /// One message with its body.
    public func message(
        _ id: String, of enrollment: Enrollment.ID
    ) async throws(PushError) -> PowerAuthInboxMessage {
        let value = try await call(
            "/api/inbox/message/detail", ["id": .string(id)], of: enrollment)
        // The documents show an array of one, servers send the object.
        let message = try PowerAuthInboxMessage(value.array?.first ?? value)
        guard message.id.utf8.elementsEqual(id.utf8) else {
            throw provider.error(.malformed, "The server sent another message than asked for.")
        }
        return message
    }

    /// Counts a message as read.
    public func markRead(_ id: String, of enrollment: Enrollment.ID) async throws(PushError) {
        _ = try await call("/api/inbox/message/read", ["id": .string(id)], of: enrollment)
    }

    /// Counts every message as read.
    public func markAllRead(of enrollment: Enrollment.ID) async throws(PushError) {
        _ = try await call("/api/inbox/message/read-all", nil, of: enrollment)
    }

    private func call(
        _ path: String, _ requestObject: JSON?, of enrollment: Enrollment.ID
    ) async throws(PushError) -> JSON {
        do throws(PushError) {
            let body: JSON = requestObject.map { ["requestObject": $0] } ?? [:]
            let reply = try await provider.channel.withToken(enrollment, path, body: body.data)
            guard reply.isSuccess else {
                throw await provider.channel.failure(reply, of: enrollment, factors: .possession)
            }
            return reply.responseObject ?? .null
        } catch {
            throw error.of(provider.id)
        }
    }
}

import PushCore

/// A message in a user's inbox.
struct InboxEntry: Sendable {
    let id: String
    let subject: String
    let summary: String
    let body: String
    let isHTML: Bool
    let created: Int64
    var isRead = false

    func json(withBody: Bool) -> JSON {
        var members: JSON.Object = [
            "id": .string(id), "type": isHTML ? "html" : "text", "subject": .string(subject),
            "summary": .string(summary),
        ]
        if withBody { members["body"] = .string(body) }
        members["read"] = .bool(isRead)
        members["timestampCreated"] = .string(Moment.message(created))
        return .object(members)
    }
}

/// A user's messages, the oldest first, and what a device may ask about them.
struct Inbox: Sendable {
    private var entries: [InboxEntry] = []

    mutating func add(_ entry: InboxEntry) { entries.append(entry) }

    mutating func answer(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        switch incoming.call {
        case .inboxCount:
            try incoming.requireEmpty()
            return .object(["countUnread": JSON(entries.count { !$0.isRead })])
        case .inboxList: return try page(incoming)
        case .inboxReadAll:
            try incoming.requireEmpty()
            for index in entries.indices { entries[index].isRead = true }
            return .done
        default: break
        }
        guard let id = incoming.object?["id"]?.string else { throw .invalidRequest }
        guard let index = entries.firstIndex(where: { $0.id == id }) else { throw .inbox }
        if incoming.call == .inboxRead {
            entries[index].isRead = true
            return .done
        }
        return .object(entries[index].json(withBody: true))
    }

    /// A page of the inbox, the newest message first.
    private func page(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        guard let object = incoming.object, let page = object["page"]?.integer,
            let size = object["size"]?.integer, (0...1_000_000).contains(page),
            (1...1000).contains(size)
        else { throw .invalidRequest }
        let onlyUnread = object["onlyUnread"]?.bool ?? false
        let shown = entries.reversed().filter { !onlyUnread || !$0.isRead }
            .dropFirst(Int(page * size)).prefix(Int(size))
        return .object(.array(shown.map { $0.json(withBody: false) }))
    }
}

extension PowerAuthSimulator {
    func answerInbox(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        let user = try bearer(incoming).user
        var inbox = inboxes[user] ?? Inbox()
        let reply = try inbox.answer(incoming)
        inboxes[user] = inbox
        return reply
    }

    /// Puts a message into a user's inbox, and pushes that to the user's devices.
    ///
    /// - Returns: The message's identifier.
    public func createMessage(
        for user: String, subject: String, summary: String, body: String, isHTML: Bool = false
    ) -> String {
        let id = configuration.random.identifier()
        inboxes[user, default: Inbox()].add(
            InboxEntry(
                id: id, subject: subject, summary: summary, body: body, isHTML: isHTML,
                created: configuration.now))
        let extras: JSON.Object = [
            "messageType": "mtoken.inboxMessage.new", "inboxId": .string(id),
        ]
        for activation in activationOrder.compactMap({ activations[$0] })
        where activation.user == user && activation.state == .active {
            send(PushExtras(alert: (subject, summary), extras: extras), to: activation.id)
        }
        return id
    }
}

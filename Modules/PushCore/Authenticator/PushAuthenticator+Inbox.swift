/// Messages that ask nothing: what the vendor's inbox lists, each new once.
extension PushAuthenticator {
    static let inboxCollection = "inbox"

    /// How many messages of one inbox are told apart from new ones at the most.
    private static let mostKnown = 1000

    /// Asks the vendor for its inbox.
    ///
    /// - Returns: The unread messages that this device hasn't been told of.
    func newMessages(of id: Enrollment.ID) async throws(PushError) -> [Reception] {
        guard let inbox = try provider(id.provider).inbox else { return [] }
        let listed = try await turn(of: id, asQuestion: true) { () async throws(PushError) in
            try await inbox.unread(of: id)
        }
        var news: [InboxMessage] = []
        let newest = listed.prefix(Self.mostKnown)
        let wasDamaged = try await environment.store.replace(Self.inboxKey(id)) { found in
            let known = found.flatMap { try? SecretRecord(reading: $0).fields["known"]?.array }
            let ids = (known ?? []).compactMap(\.string)
            let old = Set(ids.map(ByteString.init))
            news = newest.filter { !$0.isRead && !old.contains(ByteString($0.id)) }
            // What isn't listed now may be again, after newer ones were read.
            let now = Set(newest.map { ByteString($0.id) })
            let rest = ids.filter { !now.contains(ByteString($0)) }
            let kept = (newest.map(\.id) + rest).prefix(Self.mostKnown).map(JSON.string)
            guard known != kept else { return nil }
            return SecretRecord(fields: ["known": .array(kept)]).sealed
        }
        if wasDamaged {
            report(damaged: .inbox, "What is known of an inbox was damaged.", of: id)
        }
        return news.map { published(.inbox(id, $0), isNew: true) }
    }

    func forgetInbox(_ id: Enrollment.ID) async throws(PushError) {
        try await environment.store.delete(Self.inboxKey(id))
    }

    private static func inboxKey(_ id: Enrollment.ID) -> RecordKey {
        RecordKey(inboxCollection, id)
    }

    /// A text that is compared by its bytes.
    private struct ByteString: Hashable {
        let bytes: [UInt8]

        init(_ text: String) { bytes = Array(text.utf8) }
    }
}

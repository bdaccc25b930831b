/// Messages that ask nothing: what the vendor's inbox lists, each new once.
struct InboxNews: Sendable {
    static let collection = "inbox"

    /// How many messages of one inbox are told apart from new ones at the most.
    private static let maximumKnown = 1000

    let core: AuthenticatorCore
    let turns: EnrollmentTurns

    /// Asks the vendor for its inbox.
    ///
    /// - Returns: The unread messages that this device hasn't been told of.
    func news(of id: Enrollment.ID) async throws(PushError) -> [Reception] {
        guard let inbox = try core.provider(id.provider).inbox else { return [] }
        let listed = try await turns.turn(of: id, asQuestion: true) { () async throws(PushError) in
            try await inbox.unread(of: try await core.account(id))
        }
        var news: [InboxMessage] = []
        let newest = listed.prefix(Self.maximumKnown)
        let (wasDamaged, _) = try await core.environment.store.replace(Self.key(id)) { found in
            let known = found.flatMap { try? SecretRecord(reading: $0).fields["known"]?.array }
            let ids = (known ?? []).compactMap(\.string)
            let old = Set(ids.map(ByteString.init))
            news = newest.filter { !$0.isRead && !old.contains(ByteString($0.id)) }
            // What isn't listed now may be again, after newer ones were read.
            let now = Set(newest.map { ByteString($0.id) })
            let rest = ids.filter { !now.contains(ByteString($0)) }
            let kept = (newest.map(\.id) + rest).prefix(Self.maximumKnown).map(JSON.string)
            guard known != kept else { return nil }
            return SecretRecord(fields: ["known": .array(kept)]).sealed
        }
        if wasDamaged {
            core.report(damaged: .inbox, "What is known of an inbox was damaged.", of: id)
        }
        var receptions: [Reception] = []
        for message in news {
            receptions.append(await core.published(.inbox(id, message), isNew: true))
        }
        return receptions
    }

    func forget(_ id: Enrollment.ID) async throws(PushError) {
        try await core.environment.store.delete(Self.key(id))
    }

    private static func key(_ id: Enrollment.ID) -> RecordKey {
        RecordKey(collection, id)
    }

    /// A text that is compared by its bytes.
    private struct ByteString: Hashable {
        let bytes: [UInt8]

        init(_ text: String) { bytes = Array(text.utf8) }
    }
}

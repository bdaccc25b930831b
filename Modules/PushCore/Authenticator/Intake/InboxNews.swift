/// Messages that ask nothing: what the vendor's inbox lists, each new once.
struct InboxNews: Sendable {
    let core: AuthenticatorCore
    let turns: EnrollmentTurns

    /// Asks the vendor for its inbox.
    ///
    /// - Returns: The unread messages that this device hasn't been told of.
    func news(of id: Enrollment.ID) async throws(PushError) -> [Reception] {
        guard let inbox = try core.provider(id.provider).inbox else { return [] }
        let (listed, hand) = try await turns.turn(of: id, asQuestion: true) {
            (turn) async throws(PushError) in
            (try await inbox.unread(of: try await turn.account()), try await turn.hand())
        }
        let areNew = try await core.change(hand) { (document, _) in
            document.tell(listed.map(\.id))
        }
        var receptions: [Reception] = []
        for (message, isNew) in zip(listed, areNew) where isNew && !message.isRead {
            receptions.append(await core.published(.inbox(id, message), isNew: true))
        }
        return receptions
    }
}

extension EnrollmentDocument {
    /// How many messages of an inbox are told apart from new ones at the most.
    static let mostTold = 500

    /// Remembers messages of the inbox.
    ///
    /// - Parameter messages: Their identifiers as the vendor lists them, the newest first.
    /// - Returns: Of each, whether the app hasn't been told of it; `false` for those beyond the
    ///   bound.
    mutating func tell(_ messages: [String]) -> [Bool] {
        let listed = messages.prefix(Self.mostTold).map { names.digest(of: $0.utf8).high }
        let (old, new) = (Set(told), Set(listed))
        // What isn't listed now may be again, after newer ones were read.
        told = Array((listed + told.filter { !new.contains($0) }).prefix(Self.mostTold))
        return listed.map { !old.contains($0) }
            + Array(repeating: false, count: messages.count - listed.count)
    }
}

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

/// What a step has in hand in its enrollment's turn: the document, read when somebody first asks for it.
final class EnrollmentTurn: Sendable {
    let id: Enrollment.ID
    private let servers: KnownServers
    private let state: Locked<(hand: DocumentInHand, before: Enrollment.State)?>

    /// Begins one. If the document that another step had is old, compare-and-set finds out.
    init(_ id: Enrollment.ID, from hand: DocumentInHand?, _ servers: KnownServers) {
        self.id = id
        self.servers = servers
        state = Locked(hand.map { ($0, $0.enrollment.state) })
    }

    /// What the step has read, and the enrollment's state then; `nil` if it hasn't asked.
    var known: (hand: DocumentInHand, before: Enrollment.State)? { state.withLock { $0 } }

    /// The document; `nil` if the enrollment isn't here.
    func handIfAny() async throws(PushError) -> DocumentInHand? {
        if let known { return known.hand }
        guard let hand = try await servers.read(id) else { return nil }
        hand.lend()
        state.withLock { $0 = (hand, hand.enrollment.state) }
        return hand
    }

    func hand() async throws(PushError) -> DocumentInHand {
        guard let hand = try await handIfAny() else { throw .unknownEnrollment(of: id.provider) }
        return hand
    }

    func account() async throws(PushError) -> Account {
        try await hand().account()
    }
}

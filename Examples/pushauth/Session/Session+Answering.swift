import PushCore

extension Session {
    /// What an error means for an answer to a challenge.
    ///
    /// Once the answer is decided, a server that can't be reached or whose reply is lost may have taken
    /// it: before that, nothing of it has left.
    func failure(_ error: any Error, answering id: Challenge.ID) async -> Failure {
        let failure = Failure(error)
        guard failure.status == .network, await isDecided(id) else { return failure }
        return Failure(
            .unknown, failure.text,
            advice: "The vendor may have taken the answer: `pushauth refresh` asks again.")
    }

    /// Whether an answer is decided, and the vendor's word on it isn't known yet.
    func isDecided(_ id: Challenge.ID) async -> Bool {
        if case .decided = try? await authenticator.record(of: id)?.state { return true }
        return false
    }
}

@testable import PushCore

/// What tests wait for.
extension PushAuthenticator {
    /// How many wait for an enrollment's turn.
    func waitingForTurn(of id: Enrollment.ID) async -> (first: Int, questions: Int) {
        await core.turns.waiting(for: .enrollment(id))
    }

    /// How many wait for their turn to enroll with a provider.
    func waitingToEnroll(with provider: ProviderID) async -> Int {
        await core.turns.waiting(for: .enrolling(provider)).first
    }

    /// How many others have come to wait for a decision that is under way.
    func waitingForDecision(on id: Challenge.ID) async -> Int {
        await decisions.waiting(for: id)
    }

    /// How many have come to wait for a `resume()` that another began.
    var waitingForResume: Int {
        get async { await resumption.others }
    }

    /// How many works wait to be tried again, and how many are being tried.
    var background: (asleep: Int, underway: Int) {
        get async { (await retries.asleep, await retries.underway) }
    }

    /// How many enrollments `poll(where:failed:)` is asking for right now.
    var polledNow: Int {
        get async { await polling.underway }
    }
}

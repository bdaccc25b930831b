import PushCore

/// Guards that a command opens for more than one step, or for what is no answer.
extension Session {
    /// Does something with the guards of enrollments open that some uses need, after one question
    /// for all of them; with those locked that nobody can open here.
    func withOpenGuards<Value: Sendable>(
        of enrollments: [Enrollment], for uses: Capabilities.GuardedPart.Uses,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        let ids = enrollments.filter { enrollment in
            guard let policy = enrollment.guardPolicy, ground.keyGuard.canOpen(policy),
                let part = try? provider(of: enrollment.id).guarded
            else { return false }
            return !part.uses.isDisjoint(with: uses)
        }.map(\.id)
        return try await authenticator.withOpenGuards(of: ids) {
            () async throws(PushError) -> Result<Value, any Error> in
            do {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }.get()
    }
}

extension Capabilities.GuardedPart {
    /// What the user gives up by choosing a guard.
    var price: String {
        guard !uses.isEmpty else {
            return "It is opened for every yes by biometry, where the vendor takes no PIN instead."
        }
        let all: [(Uses, String)] = [
            (.approval, "a yes"), (.denial, "a no"), (.opening, "looking at a challenge"),
            (.questions, "every question to the vendor"), (.codes, "a one-time code"),
        ]
        let needs = all.filter { uses.contains($0.0) }.map(\.1).joined(separator: ", ")
        var sentences = ["It is opened for each of these: \(needs)."]
        if uses.contains(.questions) {
            sentences.append("`watch` and `listen --poll` leave such an enrollment out.")
            sentences.append("A new device token waits until `refresh` has opened it.")
        }
        if uses.contains(.delivery) {
            sentences.append("An answer that is interrupted waits until it is given again.")
        }
        return (sentences + ["If what opens it is lost, enroll again."]).joined(separator: "\n")
    }
}

/// An input that wasn't taken.
public struct InputProblem: Hashable, Sendable {
    /// What was wrong.
    @nonexhaustive
    public enum Reason: Hashable, Sendable {
        /// A password is empty, or shorter than the engine allows.
        case weakPassword
        /// The new password is the old one.
        case samePassword
        /// The server says that the answer was wrong: the wrong password, most likely. Only the
        /// server can tell.
        case wrongResponse
    }

    /// What was wrong.
    public let reason: Reason

    /// How often the user may try before the server locks them or ends the session; `nil` if
    /// unknown.
    public let attemptsLeft: Int?

    /// Whether the flow waits for another try; otherwise it is over.
    public let mayRetry: Bool

    /// Whether the session still waits for a right answer, in this flow or in a new one.
    var isPending: Bool { mayRetry || (attemptsLeft ?? 0) > 0 }

    /// Creates a problem.
    public init(_ reason: Reason, attemptsLeft: Int? = nil, mayRetry: Bool) {
        self.reason = reason
        self.attemptsLeft = attemptsLeft
        self.mayRetry = mayRetry
    }
}

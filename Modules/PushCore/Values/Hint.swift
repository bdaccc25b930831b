/// A message that proves nothing: a reason to ask the vendor, never something to show.
public struct Hint: Sendable {
    /// What to ask about.
    @nonexhaustive
    public enum Topic: Hashable, Sendable {
        /// What waits for an answer.
        case challenges
        /// Whether the challenge with this name is over.
        case finished(String)
        /// The enrollment's own state.
        case enrollment
        /// What is new in the inbox.
        case inbox
    }

    /// Which enrollments to ask.
    public let enrollments: Set<Enrollment.ID>

    /// What to ask about.
    public let topic: Topic

    /// What the provider needs to ask: a sealed command, a code from a link.
    public let context: Secret?

    /// Creates a hint.
    public init(_ topic: Topic, at enrollments: Set<Enrollment.ID>, context: Secret? = nil) {
        self.topic = topic
        self.enrollments = enrollments
        self.context = context
    }
}

import PushCore

/// What a policy says of a question.
enum Verdict: Hashable, Sendable {
    /// A rule says what to do.
    case act(Action, rule: String)
    /// No rule matches: it waits for a person.
    case wait

    /// What a rule may do.
    enum Action: Hashable, Sendable {
        case approve(NumberSource?)
        case deny(DenyReason)
        /// Nobody is asked, and nothing is sent.
        case ignore
    }
}

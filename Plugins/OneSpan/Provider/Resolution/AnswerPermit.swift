/// Whether an answer may still be made. An app that gives up and an answer race for it: the first
/// wins.
///
/// A door hands it to the resolver beside the decision.
actor AnswerPermit {
    private enum State {
        case free, taken, withdrawn
    }

    private var state = State.free

    /// Whether the app gave up before the answer was made.
    var isWithdrawn: Bool { state == .withdrawn }

    /// Begins to make the answer.
    ///
    /// - Returns: Whether it may be made.
    func take() -> Bool {
        guard state != .withdrawn else { return false }
        state = .taken
        return true
    }

    /// The answer is over, or wasn't made: until the next one, the app may give up.
    func giveBack() { if state == .taken { state = .free } }

    /// Gives up, unless an answer is being made or on its way.
    ///
    /// - Returns: Whether nothing will be sent.
    func withdraw() -> Bool {
        guard state != .taken else { return false }
        state = .withdrawn
        return true
    }
}

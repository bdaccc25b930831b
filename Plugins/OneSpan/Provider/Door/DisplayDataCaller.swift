/// What the app calls once the user has decided: OneSpan's `DisplayDataCaller`.
///
/// The first call counts.
public struct DisplayDataCaller: Sendable {
    /// Why the user can only reject, as what an approval would stand for can't all be shown; `nil` if
    /// they may approve. An approval ends as an error then.
    public let problem: DisplayProblem?

    let decide: @Sendable (UserDecision) -> Void

    /// The user approves.
    public func onDataApproved() { decide(.approved) }

    /// The user rejects. That needs no authentication.
    public func onDataRejected() { decide(.rejected) }
}

/// What came of asking the user.
enum UserDecision: Sendable {
    case approved, rejected, cancelled, timeEnded
}

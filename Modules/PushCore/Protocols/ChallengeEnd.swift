/// An underlying error by which a provider says that the challenge it was to open is over.
///
/// A ``PushError`` that ``Resolver/challenge(for:)`` throws with one of these as its `underlying`
/// closes the challenge, whatever its code; a decision that is on its way stays. A
/// ``Withdrawal/Reason`` is one itself.
public protocol ChallengeEnd: Error {
    /// Why it is over.
    var reason: Withdrawal.Reason { get }
}

extension Withdrawal.Reason: ChallengeEnd {
    /// The reason itself.
    public var reason: Withdrawal.Reason { self }
}

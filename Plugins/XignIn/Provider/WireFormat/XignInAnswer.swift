public import PushCore

/// An answer as it is sent, and as much of it as may be kept.
public struct XignInAnswer: Sendable {
    /// What is sent.
    public let whole: Secret

    /// The same without anything that lets a PIN be tested. Sent after a lost reply, it brings the
    /// verdict on the whole, if there is one.
    public let kept: Secret

    /// Creates an answer.
    public init(whole: Secret, kept: Secret) {
        self.whole = whole
        self.kept = kept
    }

    /// Whether all of it may be kept.
    var isKeptWhole: Bool { whole.isEqualInConstantTime(to: kept) }
}

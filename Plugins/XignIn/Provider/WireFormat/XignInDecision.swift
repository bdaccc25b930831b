public import PushCore

/// What the user decided, checked against what the manager asked.
public enum XignInDecision: Sendable {
    /// No, and why. Of the reasons, `fraud` says that it wasn't the user who asked for the sign-in.
    case reject(DenyReason)
    /// Yes.
    case approve(Approval)

    /// A yes, and what it releases.
    public struct Approval: Sendable {
        /// What the user saw.
        public let request: AuthenticateRequest

        /// The role.
        public let role: AuthenticateRequest.Role

        /// The attributes that are released, in the request's order.
        public let attributes: [String]

        /// The PIN as the user typed it, if it was asked for.
        public let pin: Secret?

        /// What biometry unlocked, if it was asked for.
        public let biometry: Secret?
    }
}

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

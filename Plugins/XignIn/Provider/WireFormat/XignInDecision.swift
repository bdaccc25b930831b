public import PushCore

/// What the user decided, checked against what the manager asked.
public enum XignInDecision: Sendable {
    /// No, and why.
    case reject(XignRejectReason)
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

        /// That biometry was checked, and what it unlocked.
        public let biometry: Evidence?
    }
}

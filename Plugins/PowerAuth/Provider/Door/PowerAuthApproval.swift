/// What an approval needs beside the user's yes: give it to `resolve` as its `extras`.
public struct PowerAuthApproval: Sendable {
    /// The proximity code, if the app got one other than through the authenticator.
    public var proximityCheck: PowerAuthProximityCheck?

    /// Whether a phone call is going on, in which a stranger may be telling the user what to do;
    /// `nil` if the app doesn't know.
    ///
    /// An operation with ``PowerAuthOperation/UI/blockApprovalOnCall``, or an offline one with the
    /// flag ``PowerAuthOfflineOperation/Flags/blockApprovalOnCall``, is approved only if this is
    /// `false`: this package can't tell by itself.
    public var isOnCall: Bool?

    /// Creates it.
    public init(proximityCheck: PowerAuthProximityCheck? = nil, isOnCall: Bool? = nil) {
        self.proximityCheck = proximityCheck
        self.isOnCall = isOnCall
    }
}

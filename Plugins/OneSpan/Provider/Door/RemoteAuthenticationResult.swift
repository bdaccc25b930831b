public import PushCore

/// What the server made of an answer: OneSpan's `RemoteAuthenticationResult` (Orchestration SDK
/// 5.13.2).
public struct RemoteAuthenticationResult: Sendable {
    /// OneSpan's `RemoteSessionState`.
    public enum RemoteSessionState: Hashable, Sendable {
        /// The user accepted.
        case accepted
        /// The user refused. A rejection ends here, too: it isn't an error.
        case refused
    }

    /// What the user decided, as the server took it.
    public let remoteSessionState: RemoteSessionState

    /// The token that the back end may issue; `nil` if it issued none.
    public let authToken: Secret?

    init(isAccepted: Bool, authToken: Secret?) {
        remoteSessionState = isAccepted ? .accepted : .refused
        self.authToken = authToken
    }
}

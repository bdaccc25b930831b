public import PushCore

/// How a workflow ended well.
@nonexhaustive
public enum WorkflowOutcome: Sendable {
    /// The device is activated; a notification registration must follow.
    case activated(ActivatedDevice)
    /// The server holds this notification identifier.
    case registered(deviceID: String, identifier: String)
    /// The server took the user's answer into account. A rejection ends here, too. The token is
    /// what the back end may issue with a remote authentication (Orchestration SDK 5.13.2).
    case answered(accepted: Bool, authToken: Secret?)
    /// The password is changed.
    case passwordChanged(deviceID: String)
}

public import PushCore

/// What the user did, for a workflow that waits for it.
@nonexhaustive
public enum WorkflowInput: Sendable {
    /// The user approved or rejected what was displayed.
    case decision(approved: Bool)
    /// The password that ``OrchestrationStep/authenticate(_:_:)`` asked for.
    case secret(Secret)
    /// The biometric check passed.
    case biometricSucceeded
    /// There is no biometric check now: the password stands in for it.
    case biometricUnavailable
    /// The user gave up.
    case userCancelled
}

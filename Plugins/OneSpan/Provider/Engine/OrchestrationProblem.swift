import PushCore

/// What an engine has against a command or an input: part of the ``OrchestrationError`` it throws.
@nonexhaustive
public enum OrchestrationProblem: Hashable, Sendable {
    /// The bytes aren't a command, or one that wasn't made for its place.
    case commandMalformed
    /// The command is for a device or a user that isn't here.
    case commandNotForThisDevice
    /// The command is genuine, but what it asks to display can't be shown whole. Its flow is over.
    case contentMalformed
    /// The command didn't come from the server, or isn't whole.
    case commandUntrusted
    /// The reply was taken before.
    case commandReplayed
    /// Nothing waits for this command.
    case unexpectedCommand
    /// The flow is over, or waits for something else.
    case invalidState
    /// Another workflow of the same user comes first.
    case workflowInProgress
    /// The user is activated on this device already.
    case alreadyActivated
    /// The user isn't activated on this device.
    case notActivated
    /// The server has removed this device (−1300).
    case deactivated
    /// The time for the activation is over, by the device's own measure, and its flow with it.
    case activationExpired

    /// The error that carries it.
    package func error(_ reason: String) -> OrchestrationError { OrchestrationError(self, reason) }

    /// What an app can do about it.
    var code: PushError.Code {
        switch self {
        case .commandMalformed, .contentMalformed: .malformed
        case .commandNotForThisDevice: .unknownEnrollment
        case .commandUntrusted, .commandReplayed, .unexpectedCommand: .untrusted
        case .invalidState, .workflowInProgress: .conflict
        case .alreadyActivated: .alreadyEnrolled
        case .notActivated: .unknownEnrollment
        case .deactivated: .blocked
        case .activationExpired: .over
        }
    }
}

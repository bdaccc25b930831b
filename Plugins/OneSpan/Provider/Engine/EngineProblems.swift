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

/// What is wrong with the inputs of an activation, before anything is sent: the names of OneSpan's
/// `OrchestrationErrorCodes`.
public enum ActivationInputProblem: Hashable, Sendable {
    /// `USER_ID_NULL_OR_EMPTY`.
    case userIDNullOrEmpty
    /// `USER_ID_WRONG_FORMAT`: the user identifier or the domain is too long or holds a NUL.
    case userIDWrongFormat
    /// `ACTIVATION_PASSWORD_NULL_OR_EMPTY`.
    case activationPasswordNullOrEmpty
    /// `ACTIVATION_PASSWORD_WRONG_LENGTH`.
    case activationPasswordWrongLength
    /// `ACTIVATION_PASSWORD_WRONG_CHECKSUM`: a typing error, caught on the device.
    case activationPasswordWrongChecksum

    /// The error that carries it.
    package func error(_ reason: String) -> OrchestrationError { OrchestrationError(self, reason) }
}

/// An input that wasn't taken.
public struct InputProblem: Hashable, Sendable {
    /// What was wrong.
    @nonexhaustive
    public enum Reason: Hashable, Sendable {
        /// A password is empty, or shorter than the engine allows.
        case weakPassword
        /// The new password is the old one.
        case samePassword
        /// The server says that the answer was wrong: the wrong password, most likely. Only the
        /// server can tell.
        case wrongResponse
    }

    /// What was wrong.
    public let reason: Reason

    /// How often the user may try before the server locks them or ends the session; `nil` if
    /// unknown.
    public let attemptsLeft: Int?

    /// Whether the flow waits for another try; otherwise it is over.
    public let mayRetry: Bool

    /// Whether the session still waits for a right answer, in this flow or in a new one.
    var isPending: Bool { mayRetry || (attemptsLeft ?? 0) > 0 }

    /// Creates a problem.
    public init(_ reason: Reason, attemptsLeft: Int? = nil, mayRetry: Bool) {
        self.reason = reason
        self.attemptsLeft = attemptsLeft
        self.mayRetry = mayRetry
    }
}

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

public import PushCore

/// What goes wrong in any workflow: OneSpan's global error callback.
public protocol OrchestrationErrorDelegate: AnyObject, Sendable {
    /// The running workflow failed on the device, or on the way to the server.
    ///
    /// - Parameter error: `PushError.oneSpan` has it in OneSpan's terms.
    func onOrchestrationError(_ error: PushError) async

    /// The executed command was an error of the server.
    ///
    /// Never show its text unless ``ServerError/isAuthenticated``; such an error ended the
    /// workflow, any other one changed nothing.
    func onOrchestrationServerError(_ error: ServerError) async
}

/// What an app should know although the workflow goes on: OneSpan's global warning callback.
public protocol OrchestrationWarningDelegate: AnyObject, Sendable {
    /// Something to know.
    func onOrchestrationWarning(_ warning: OrchestrationWarning) async
}

/// Something to know although the workflow goes on. OneSpan's warning codes aren't published:
/// these are ours.
@nonexhaustive
public enum OrchestrationWarning: Hashable, Sendable {
    /// Too many requests wait for the user: the oldest was dropped. It can be executed again.
    case requestDisplaced
    /// A request waited for too long behind another one, and was dropped.
    case requestTooOld
}

/// The numbers and names that OneSpan documents for errors of its Orchestration SDK.
///
/// For the names of input errors OneSpan's documents show no number: compare
/// ``ActivationInputProblem`` and ``OneSpanError`` instead.
public enum OrchestrationErrorCodes {
    /// An unknown orchestration error, of the legacy service.
    public static let unknown: Int32 = -8000
    /// An orchestration transaction error, of the legacy service: the request has expired.
    public static let transaction: Int32 = -8006
    /// Internal server error.
    public static let internalServerError: Int32 = -1000
    /// Communication error, or input that wasn't accepted.
    public static let communication: Int32 = -1001
    /// The input data couldn't be decoded.
    public static let decoding: Int32 = -1002

    // MARK: Names of input errors

    /// No user identifier.
    public static let userIDNullOrEmpty = "USER_ID_NULL_OR_EMPTY"
    /// A user identifier with characters that aren't allowed.
    public static let userIDWrongFormat = "USER_ID_WRONG_FORMAT"
    /// No activation password.
    public static let activationPasswordNullOrEmpty = "ACTIVATION_PASSWORD_NULL_OR_EMPTY"
    /// An activation password of the wrong length.
    public static let activationPasswordWrongLength = "ACTIVATION_PASSWORD_WRONG_LENGTH"
    /// An activation password with a typing error.
    public static let activationPasswordWrongChecksum = "ACTIVATION_PASSWORD_WRONG_CHECKSUM"
    /// A remote authentication came, and nothing handles it.
    public static let remoteAuthenticationCallbackNotSet = "RemoteAuthenticationCallbackNotSet"
    /// A remote transaction came, and nothing handles it.
    public static let remoteTransactionCallbackNotSet = "RemoteTransactionCallbackNotSet"
}

extension ActivationInputProblem {
    /// The name in OneSpan's `OrchestrationErrorCodes`.
    public var documentedName: String {
        switch self {
        case .userIDNullOrEmpty: OrchestrationErrorCodes.userIDNullOrEmpty
        case .userIDWrongFormat: OrchestrationErrorCodes.userIDWrongFormat
        case .activationPasswordNullOrEmpty: OrchestrationErrorCodes.activationPasswordNullOrEmpty
        case .activationPasswordWrongLength: OrchestrationErrorCodes.activationPasswordWrongLength
        case .activationPasswordWrongChecksum:
            OrchestrationErrorCodes.activationPasswordWrongChecksum
        }
    }
}

/// What a server says is wrong: the member `code` of an error reply, under its documented name.
///
/// It is the `underlying` error of the `PushError` that a refused call throws. The text beside it
/// in the reply, `message`, decides nothing and isn't kept.
@nonexhaustive
public enum PowerAuthErrorCode: String, Hashable, Sendable, CaseIterable, Error {
    // MARK: The mobile token API

    /// The request makes no sense to the server. A replayed request and a wrong clock may hide
    /// behind it.
    case invalidRequest = "INVALID_REQUEST"
    /// The activation may not do this.
    case invalidActivation = "INVALID_ACTIVATION"
    /// The application may not do this.
    case invalidApplication = "INVALID_APPLICATION"
    /// The operation isn't in a state, or isn't of a kind, for this call.
    case invalidOperation = "INVALID_OPERATION"
    /// The signature or the token was refused.
    case authenticationFailed = "POWERAUTH_AUTH_FAIL"

    // MARK: Approving and rejecting

    /// The operation is approved or rejected already.
    case operationAlreadyFinished = "OPERATION_ALREADY_FINISHED"
    /// The operation has failed, such as after too many wrong signatures.
    case operationAlreadyFailed = "OPERATION_ALREADY_FAILED"
    /// The operation was cancelled.
    case operationAlreadyCanceled = "OPERATION_ALREADY_CANCELED"
    /// The operation's time has run out.
    case operationExpired = "OPERATION_EXPIRED"
    /// The activation lacks a flag that the operation demands.
    case operationRequiresActivationFlag = "OPERATION_REQUIRES_ACTIVATION_FLAG"
    /// Approving failed.
    case operationFailed = "OPERATION_FAILED"

    // MARK: Other parts of the mobile token API

    /// The device token wasn't taken.
    case pushRegistrationFailed = "PUSH_REGISTRATION_FAILED"
    /// The inbox can't be used.
    case inboxFailed = "INBOX_FAILED"
    /// No activation code could be made.
    case activationCodeFailed = "ACTIVATION_CODE_FAILED"
    /// The application's configuration can't be told.
    case applicationConfigurationError = "APPLICATION_CONFIGURATION_ERROR"

    // MARK: Any call

    /// There is no such thing.
    case notFound = "ERROR_NOT_FOUND"
    /// The server couldn't reach another that it needs.
    case remoteCommunicationError = "REMOTE_COMMUNICATION_ERROR"
    /// The server failed.
    case generic = "ERROR_GENERIC"

    // MARK: The standard API

    /// The signature or the token was refused.
    case authentication = "ERR_AUTHENTICATION"
    /// The activation couldn't be made. Nearly anything may be the cause.
    case activation = "ERR_ACTIVATION"
    /// What was encrypted couldn't be opened.
    case encryption = "ERR_ENCRYPTION"
    /// No temporary key could be made.
    case temporaryKey = "ERR_TEMPORARY_KEY"
    /// The vault couldn't be opened.
    case secureVault = "ERR_SECURE_VAULT"
    /// The protocol couldn't be upgraded.
    case upgrade = "ERR_UPGRADE"
    /// The recovery code couldn't be confirmed.
    case recovery = "ERR_RECOVERY"
    /// What is known of the user couldn't be told.
    case userInfo = "ERR_USER_INFO"
}

extension PowerAuthErrorCode {
    /// The status that it's documented with. With another one it's nobody's word.
    var status: Int {
        switch self {
        case .authenticationFailed, .authentication, .operationFailed: 401
        case .notFound: 404
        case .remoteCommunicationError: 409
        case .generic: 500
        default: 400
        }
    }

    /// Whether it says that a signature or a token was refused, in either API's words.
    var isAuthenticationFailure: Bool { self == .authenticationFailed || self == .authentication }
}

public import PushCore

/// What went wrong, with OneSpan's numbers kept: of an engine, of the server, or on the way.
///
/// Mapped here once; the code of the `PushError` above it says what an app can do. The numbers are
/// in the ranges that OneSpan documents ("Error messages returned by Trusted Device microservice").
@nonexhaustive
public enum OneSpanError: Error, Hashable, Sendable {
    /// The inputs of an activation. Retry once they are corrected.
    case input(ActivationInputProblem)
    /// −1699 to −1600. The server says that the password was wrong; how often it may be tried yet, if
    /// it says so.
    case passwordRejected(attemptsLeft: Int?)
    /// The user is locked.
    case userLocked
    /// The user is disabled.
    case userDisabled
    /// Another error of the category user: −1199 to −1100.
    case user(Int32)
    /// −1299 to −1200. The activation was refused: a new activation password is needed.
    case provisioning(Int32, attemptsLeft: Int?)
    /// −1399 to −1300. The authenticator was refused. −1300, authenticated: the server has removed
    /// this device.
    case authenticator(Int32)
    /// −1499 to −1400. The server doesn't know the request.
    case session(Int32)
    /// −1799 to −1700. The signature of a transaction was refused.
    case transaction(Int32)
    /// −1599 to −1500. The risk component refused.
    case risk(Int32)
    /// The platform itself, or a number of no category. −1000: internal error; −1001: communication
    /// error, or input that wasn't accepted; −1002: input that couldn't be decoded. Of the legacy
    /// service: −8000, unknown; −8006, the request has expired.
    case server(Int32)
    /// The request is no longer pending.
    case outdated(SessionOutdatedReason)
    /// The bytes aren't a command, or one that wasn't made for its place.
    case commandMalformed
    /// The command is for a device or a user that isn't here.
    case commandNotForThisDevice
    /// The command didn't come from the server, or isn't whole.
    case commandUntrusted
    /// Nothing waits for this command, or not any longer: it was taken before.
    case unexpectedCommand
    /// The flow is over, or waits for something else.
    case invalidState
    /// The user is activated on this device already.
    case alreadyActivated
    /// The time for the activation is over, by the device's own measure, and its flow with it.
    case activationExpired
    /// A request came, and no delegate is set for it: `RemoteAuthenticationCallbackNotSet` and
    /// `RemoteTransactionCallbackNotSet` in OneSpan's SDK.
    case handlerNotSet
    /// The user isn't activated on this device.
    case notActivated
    /// Another workflow of the same user comes first.
    case workflowInProgress
    /// The customer application server couldn't be reached, or its reply couldn't be used. Retried
    /// with identical bytes.
    case relay
    /// No reply came in time; the server may have processed the command.
    case noReply

    /// Locked (−1101) and disabled (−1102): the numbers of our simulator, too.
    private static let locked: Int32 = -1101, disabled: Int32 = -1102

    /// An error of the server itself, which may pass.
    static let internalServerError: Int32 = -1000

    /// What a server error means.
    package init(_ error: ServerError) {
        let code = error.returnCode
        let attemptsLeft = error.customPayload.flatMap { Int($0) }.map { max(0, min($0, 99)) }
        self =
            switch ServerErrorCategory(code: code) {
            case .user where code == Self.locked: .userLocked
            case .user where code == Self.disabled: .userDisabled
            case .user: .user(code)
            case .provisioning: .provisioning(code, attemptsLeft: attemptsLeft)
            case .authenticator: .authenticator(code)
            case .session: .session(code)
            case .authentication: .passwordRejected(attemptsLeft: attemptsLeft)
            case .transaction: .transaction(code)
            case .risk: .risk(code)
            case .system, nil: .server(code)
            }
    }

    /// Whether the server has removed the device.
    var isRemoval: Bool { self == .authenticator(-1300) }
}

extension OneSpanError {
    /// What an app can do, and a sentence for developers.
    private var meaning: (code: PushError.Code, reason: String) {
        switch self {
        case .input: (.invalidInvitation, "An input of the activation isn't usable.")
        case .passwordRejected(let left):
            (
                .notTaken(.init(.verification, mayRetry: false, attemptsLeft: left)),
                "The server refused the password."
            )
        case .userLocked: (.blocked, "The server has locked the user.")
        case .userDisabled: (.blocked, "The server has disabled the user.")
        case .user(let code): (.blocked, "The server refused the user (\(code)).")
        case .provisioning(let code, _):
            (.invalidInvitation, "The server refused the activation (\(code)).")
        case .authenticator(-1300): (.blocked, "The server has removed this device (-1300).")
        case .authenticator(let code), .session(let code), .transaction(let code), .risk(let code):
            (
                .notTaken(.init(.stateChanged, mayRetry: false)),
                "The server refused the command (\(code))."
            )
        // Nothing else can be said of its own trouble than that it may pass.
        case .server(let code):
            (
                .server(status: code == Self.internalServerError ? 500 : 400),
                "The server couldn't process the command (\(code))."
            )
        case .outdated: (.over, "The request is no longer pending.")
        case .commandMalformed: (.malformed, Self.engineRefused)
        case .commandNotForThisDevice: (.unknownEnrollment, Self.engineRefused)
        case .commandUntrusted, .unexpectedCommand: (.untrusted, Self.engineRefused)
        case .invalidState: (.conflict, Self.engineRefused)
        case .alreadyActivated: (.alreadyEnrolled, Self.engineRefused)
        case .activationExpired: (.over, Self.engineRefused)
        case .handlerNotSet: (.unsupported, "No delegate is set for it.")
        case .notActivated: (.unknownEnrollment, "The user isn't activated on this device.")
        case .workflowInProgress: (.conflict, "Another workflow of the user comes first.")
        case .relay: (.interrupted, "The customer application server gave no usable reply.")
        case .noReply: (.interrupted, "No reply came in time.")
        }
    }

    private static let engineRefused = "The engine refused it."

    /// The error that an app sees.
    var error: PushError { error(meaning.reason) }

    /// The error that an app sees, with a reason of its own.
    func error(_ reason: String) -> PushError {
        // The server's word that a request is over closes its challenge.
        let ends: Withdrawal.Reason? = if case .outdated(let end) = self { end.reason } else { nil }
        return PushError(meaning.code, reason, ends: ends, underlying: self)
    }
}

/// What is wrong with the inputs of an activation, before anything is sent. The raw values are the
/// names in OneSpan's `OrchestrationErrorCodes`.
public enum ActivationInputProblem: String, Hashable, Sendable {
    /// There is no user identifier.
    case userIDNullOrEmpty = "USER_ID_NULL_OR_EMPTY"
    /// The user identifier or the domain is too long, or holds a NUL.
    case userIDWrongFormat = "USER_ID_WRONG_FORMAT"
    /// There is no activation password.
    case activationPasswordNullOrEmpty = "ACTIVATION_PASSWORD_NULL_OR_EMPTY"
    /// The activation password hasn't the length that it must have.
    case activationPasswordWrongLength = "ACTIVATION_PASSWORD_WRONG_LENGTH"
    /// A typing error, caught on the device.
    case activationPasswordWrongChecksum = "ACTIVATION_PASSWORD_WRONG_CHECKSUM"
}

extension PushError {
    /// What this plugin says went wrong, in OneSpan's terms; `nil` if it is of the core or the system.
    ///
    /// For the app and its logs: this plugin decides nothing by it.
    public var oneSpan: OneSpanError? { underlying as? OneSpanError }
}

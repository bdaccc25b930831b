public import PushCore

/// What went wrong, with OneSpan's numbers kept.
///
/// Mapped here once; the code of the `PushError` above it says what an app can do.
@nonexhaustive
public enum OneSpanError: Error, Hashable, Sendable {
    /// The inputs of an activation. Retry once they are corrected.
    case input(ActivationInputProblem)
    /// The server says that the password was wrong; how often it may be tried yet, if it says so.
    case passwordRejected(attemptsLeft: Int?)
    /// The user is locked.
    case userLocked
    /// The user is disabled.
    case userDisabled
    /// Another error of the category user.
    case user(Int32)
    /// The activation was refused: a new activation password is needed.
    case provisioning(Int32, attemptsLeft: Int?)
    /// The authenticator was refused. −1300, authenticated: the server has removed this device.
    case authenticator(Int32)
    /// The server doesn't know the request.
    case session(Int32)
    /// The signature of a transaction was refused.
    case transaction(Int32)
    /// The risk component refused.
    case risk(Int32)
    /// The platform itself, or a number of no category.
    case server(Int32)
    /// The request is no longer pending.
    case outdated(SessionOutdatedReason)
    /// A command or an input that the engine can't take.
    case command(OrchestrationProblem)
    /// A request came, and no delegate is set for it.
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

    /// What the end of an activation's time is, found on this device: our simulator's number for it,
    /// as OneSpan documents the ranges alone.
    static let activationExpired = provisioning(-1202, attemptsLeft: nil)

    /// Locked (−1101) and disabled (−1102): the numbers of our simulator, too.
    private static let locked: Int32 = -1101, disabled: Int32 = -1102

    /// What a server error means.
    public init(_ error: ServerError) {
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
    /// The error that an app sees.
    var error: PushError {
        let (code, reason): (PushError.Code, String) =
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
            case .authenticator(let code), .session(let code), .transaction(let code),
                .risk(let code):
                (
                    .notTaken(.init(.stateChanged, mayRetry: false)),
                    "The server refused the command (\(code))."
                )
            // Nothing else can be said of its own trouble than that it may pass.
            case .server(let code):
                (
                    .server(
                        status: code == OrchestrationErrorCodes.internalServerError ? 500 : 400),
                    "The server couldn't process the command (\(code))."
                )
            case .outdated: (.over, "The request is no longer pending.")
            case .command(let problem): (problem.code, "The engine refused it.")
            case .handlerNotSet: (.unsupported, "No delegate is set for it.")
            case .notActivated: (.unknownEnrollment, "The user isn't activated on this device.")
            case .workflowInProgress: (.conflict, "Another workflow of the user comes first.")
            case .relay: (.interrupted, "The customer application server gave no usable reply.")
            case .noReply: (.interrupted, "No reply came in time.")
            }
        // The server's word that a request is over closes its challenge.
        let ends: Withdrawal.Reason? = if case .outdated(let end) = self { end.reason } else { nil }
        return PushError(code, reason, ends: ends, underlying: self)
    }
}

extension PushError {
    /// What this plugin says went wrong, in OneSpan's terms; `nil` if it is of the core or the system.
    ///
    /// For the app and its logs: this plugin decides nothing by it.
    public var oneSpan: OneSpanError? { underlying as? OneSpanError }
}

public import PushCore

/// What a server said of an operation that is over, in its own words. It is the `underlying` error
/// of a `PushError` with the code `over`, for logs. The `ends` of that error is the ``reason``.
public struct PowerAuthOperationEnd: Error, Hashable {
    /// Why the challenge is over, in the core's words.
    public let reason: Withdrawal.Reason

    /// The operation's state, if the server told it.
    public let status: PowerAuthOperation.Status?

    /// The server's own word on why it ended, untrusted text of at most 32 characters.
    public let statusReason: String?

    /// The server's error, if it told one.
    public let code: PowerAuthErrorCode?
}

extension PowerAuthOperationEnd {
    /// What a state says; `nil` if the operation isn't known to be over.
    init?(_ operation: PowerAuthOperation) {
        guard let reason = operation.status.end else { return nil }
        self.init(
            reason: reason, status: operation.status, statusReason: operation.statusReason,
            code: nil)
    }

    /// What an error says; `nil` if it doesn't say that the operation is over.
    init?(_ code: PowerAuthErrorCode) {
        guard let reason = code.end else { return nil }
        self.init(reason: reason, status: nil, statusReason: nil, code: code)
    }
}

extension PowerAuthOperationEnd {
    /// The error that says so.
    var error: PushError {
        PushError(.over, "The operation is over.", ends: reason, underlying: self)
    }

    /// What a challenge that ended so is to the core.
    var found: Challenge.Status {
        switch reason {
        case _ where code == .operationAlreadyFailed:
            .over(.notTaken(.init(.stateChanged, mayRetry: false, appliesToAllCopies: true)))
        case .expired: .over(.expired)
        case .cancelled: .over(.cancelled)
        case .elsewhere, .finished, .unknown:
            .over(.unknown("It is over; the server doesn't say by whose answer."))
        }
    }
}

extension PowerAuthOperation.Status {
    /// Why a challenge in this state is over; `nil` if it isn't known to be.
    var end: Withdrawal.Reason? {
        switch self {
        case .pending, .unknown: nil
        case .approved, .rejected, .failed: .finished
        case .canceled: .cancelled
        case .expired: .expired
        }
    }

    /// What a challenge in this state is to the core.
    var found: Challenge.Status {
        switch self {
        case .pending: .open
        case .approved, .rejected:
            .over(.unknown("It was answered; the server doesn't say by whom."))
        case .canceled: .over(.cancelled)
        case .expired: .over(.expired)
        case .failed:
            .over(.notTaken(.init(.stateChanged, mayRetry: false, appliesToAllCopies: true)))
        case .unknown: .unknown
        }
    }
}

extension PowerAuthErrorCode {
    /// Why a challenge is over after this error; `nil` if it isn't known to be.
    fileprivate var end: Withdrawal.Reason? {
        switch self {
        case .operationAlreadyFinished, .operationAlreadyFailed: .finished
        case .operationAlreadyCanceled: .cancelled
        case .operationExpired: .expired
        case .invalidOperation: .unknown
        default: nil
        }
    }
}

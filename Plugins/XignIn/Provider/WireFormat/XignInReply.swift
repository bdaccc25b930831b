public import PushCore

/// What a manager provably said: it did what it was asked, or refused.
public typealias XignInReply<Value> = Result<Value, XignInRefusal>

extension Result where Failure == XignInRefusal {
    /// The same reply with its value read in another way.
    package func reading<Other, Problem: Error>(
        _ body: (Success) throws(Problem) -> Other
    ) throws(Problem) -> XignInReply<Other> {
        switch self {
        case .success(let value): .success(try body(value))
        case .failure(let refusal): .failure(refusal)
        }
    }
}

/// What a manager said to an answer.
public enum XignInVerdict: Sendable {
    /// It took the answer: the user is signed in, or the process is rejected.
    case taken
    /// A factor was wrong. The context replaces the one of the ``AuthenticateRequest``, as the next
    /// try answers another challenge of the same process. No answer to the challenge before was taken,
    /// nor will be, however late a copy arrives.
    case lockout(LockoutInformation, context: Secret)
}

/// A manager's no, with what it means for the process or the activation.
@nonexhaustive
public enum XignInRefusal: Error, Hashable, Sendable {
    /// The request makes no sense to the manager (HTTP status). Nothing has changed. Of the kept part
    /// of an answer it says that the process has another challenge now, and no verdict on the answer.
    case malformed(status: Int)
    /// The factors cover no combination the role asks for. It doesn't count as an attempt.
    case factorsMissing
    /// The request itself wasn't believed: signature, time, or a repeated identifier. Nothing has
    /// changed.
    case requestRefused(status: Int)
    /// The activation is locked; the process is dead.
    case locked(LockoutInformation)
    /// No such activation: it was ended at the manager.
    case activationUnknown
    /// The process is over: another device has it, it is finished, its time has run out, it was taken
    /// back or never started; `unknown` if there is no such process.
    case processOver(Withdrawal.Reason)
    /// The manager doesn't speak any of this app's versions; the least it speaks, if it says so.
    case versionUnsupported(minimum: String?)
    /// The activation link was used by another device.
    case linkUsed
    /// The activation link's time has run out.
    case linkExpired
}

// MARK: What a refusal means

extension XignInRefusal {
    /// The refusal of anything but an answer, as an error.
    var error: PushError {
        switch self {
        case .malformed(let status):
            PushError(.server(status: status), "The manager can't make sense of the request.")
        case .requestRefused(let status):
            PushError(.server(status: status), "The manager didn't believe the request.")
        case .factorsMissing:
            PushError(.server(status: 400), "The manager misses factors.")
        case .locked(let information):
            PushError(
                .blocked, "The activation is locked.", ends: .finished,
                underlying: XignSdkLockoutError(lockoutInformation: information))
        case .processOver(let reason): Self.over(reason)
        case .activationUnknown:
            PushError(.unknownEnrollment, "The manager no longer knows this activation.")
        case .versionUnsupported:
            // Nothing that this version does can answer it.
            PushError(
                .unsupported, "The manager speaks none of this app's versions.",
                ends: .unknown)
        case .linkUsed: PushError(.invalidInvitation, "The activation link was used.")
        case .linkExpired: PushError(.invalidInvitation, "The activation link has expired.")
        }
    }

    private static func over(_ reason: Withdrawal.Reason) -> PushError {
        switch reason {
        case .elsewhere: PushError(.over, "Another device has the process.", ends: .elsewhere)
        case .finished: PushError(.over, "The process is finished.", ends: .finished)
        case .expired: PushError(.over, "The process has expired.", ends: .expired)
        case .cancelled: PushError(.over, "The process was cancelled.", ends: .cancelled)
        case .unknown: PushError(.over, "The manager knows no such process.", ends: .cancelled)
        }
    }

    /// Whether it says that an activation link brings no activation any more.
    var endsLink: Bool {
        switch self {
        case .activationUnknown, .linkUsed, .linkExpired: true
        default: false
        }
    }

    /// The refusal of a personalization, where it's the link that isn't known.
    var errorWhilePersonalizing: PushError {
        self == .activationUnknown
            ? PushError(.invalidInvitation, "The manager doesn't know the activation link.") : error
    }

    /// What the refusal of an answer means for the process; `nil` if it doesn't judge the answer.
    var outcome: Outcome? {
        switch self {
        case .malformed, .requestRefused, .linkUsed, .linkExpired: nil
        // The challenge stays, so an earlier copy with its factors may be taken yet.
        case .factorsMissing: .notTaken(.init(.verification, mayRetry: true, status: 400))
        case .locked(let lockout):
            .notTaken(
                .init(
                    .verification, mayRetry: false, attemptsLeft: lockout.remaining, status: 403))
        case .processOver(.elsewhere), .processOver(.finished): .answeredElsewhere
        case .processOver(.expired): .expired
        case .processOver: .cancelled
        case .activationUnknown: .notTaken(.init(.stateChanged, mayRetry: false, status: 404))
        case .versionUnsupported: .notTaken(.init(.other, mayRetry: false, status: 426))
        }
    }
}

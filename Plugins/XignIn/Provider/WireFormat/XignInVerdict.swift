public import PushCore

/// What a manager said to an answer.
public enum XignInVerdict: Sendable {
    /// The user is signed in.
    case userLogin
    /// The process was rejected.
    case rejected
    /// A factor was wrong. The context replaces the one of the ``AuthenticateRequest``, as the next
    /// try answers another challenge of the same process. No answer to the challenge before was taken,
    /// nor will be, however late a copy arrives.
    case lockout(LockoutInformation, context: Secret)
}

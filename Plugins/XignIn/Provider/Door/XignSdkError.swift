public import PushCore

/// The error of the vendor's door.
///
/// The documentation has subclasses for HTTP errors, running lockouts and missing security; here they
/// are values beside the code.
public struct XignSdkError: Error, Hashable, Sendable {
    /// What went wrong.
    public let errorCode: XignSdkErrorCode

    /// A sentence for developers, never for users, that holds no secret.
    public let message: String

    /// More than the code tells, if there is more.
    public let detail: XignSdkErrorDetail?

    /// The manager's HTTP status, if that was the trouble.
    public let httpError: XignSdkHttpError?

    /// The lockout that runs, if that was the trouble.
    public let lockoutError: XignSdkLockoutError?

    /// What is missing on this device, if that was the trouble.
    public let securityInsufficientError: XignSecurityInsufficientError?

    init(
        _ errorCode: XignSdkErrorCode, _ message: String, detail: XignSdkErrorDetail? = nil,
        status: Int? = nil, lockout: XignSdkLockoutError? = nil
    ) {
        self.detail = detail
        self.errorCode = errorCode
        self.message = message
        httpError = status.map(XignSdkHttpError.init)
        lockoutError = lockout
        securityInsufficientError =
            errorCode == .securityInsufficient ? XignSecurityInsufficientError() : nil
    }
}

/// A manager's HTTP status that the operation can't use.
public struct XignSdkHttpError: Error, Hashable, Sendable {
    /// The status.
    public let statusCode: Int
}

/// A lockout that still runs: the process is dead, and a new one must be started after the wait.
public struct XignSdkLockoutError: Error, Hashable, Sendable {
    /// How long, and whether for good.
    public let lockoutInformation: LockoutInformation
}

/// The device or the user can't supply what the manager asks for.
public struct XignSecurityInsufficientError: Error, Hashable, Sendable {}

/// Why something failed, of all that can fail. The vendor's one enumeration isn't published; beyond
/// the first two and the last, the names are ours.
@nonexhaustive
public enum XignSdkErrorCode: Hashable, Sendable {
    /// The manager is not personalized on this device.
    case identityManagerNotPersonalized
    /// The signature of a message doesn't verify.
    case invalidSignature
    /// The process is over: cancelled, expired, or answered.
    case processOver
    /// The manager speaks another version of the protocol.
    case incompatible
    /// A lockout runs.
    case pendingLockout
    /// The device or the user can't supply what the manager asks for.
    case securityInsufficient
    /// The manager wasn't reached, or its answer can't be proved to be its.
    case communication
    /// The user gave up.
    case cancelled
    /// Anything else.
    case unexpectedError
}

/// What the documented codes don't tell apart.
@nonexhaustive
public enum XignSdkErrorDetail: Hashable, Sendable {
    /// The message is genuine, but the time of its process has run out: drop it silently.
    case messageExpired
    /// There is an activation at the manager already: end it first.
    case alreadyPersonalized
}

/// Why ``XignPush/handleMessage(userInfo:)`` failed: the three reasons that it can have.
public enum XignPushHandleMessageErrorCodes: Hashable, Sendable {
    /// The manager is not personalized on this device, such as after the app was reset without
    /// removing its token. Anyone can provoke it, so never show it as an alarm.
    case identityManagerNotPersonalized
    /// The signature doesn't verify.
    case invalidSignature
    /// Anything else.
    case unexpectedError

    /// Narrows the code of an ``XignSdkError``.
    public static func from(errorCode: XignSdkErrorCode) -> Self {
        switch errorCode {
        case .identityManagerNotPersonalized: .identityManagerNotPersonalized
        case .invalidSignature: .invalidSignature
        default: .unexpectedError
        }
    }

    /// Narrows the code of an ``XignSdkError``, as the vendor's samples write it.
    public static func from(_ errorCode: XignSdkErrorCode) -> Self {
        from(errorCode: errorCode)
    }
}

extension XignSdkError {
    /// The same error under the vendor's names; the code is all that it goes by.
    public init(_ error: PushError) {
        switch error.code {
        case .unknownEnrollment: self.init(.identityManagerNotPersonalized, error.reason)
        case .untrusted: self.init(.invalidSignature, error.reason)
        case .alreadyEnrolled:
            self.init(.unexpectedError, error.reason, detail: .alreadyPersonalized)
        case .over, .decidedOtherwise: self.init(.processOver, error.reason)
        case .unsupported: self.init(.incompatible, error.reason)
        case .verificationFailed: self.init(.securityInsufficient, error.reason)
        case .cancelled: self.init(.cancelled, error.reason)
        case .blocked: self.init(.pendingLockout, error.reason)
        case .notTaken(let refusal):
            self.init(.unexpectedError, error.reason, status: refusal.status)
        // The manager understood who asked, and not what; trying again doesn't help.
        case .server(let status) where status < 500 && status != 429:
            self.init(.unexpectedError, error.reason, status: status)
        case .server(let status): self.init(.communication, error.reason, status: status)
        case .unreachable, .interrupted, .untrustedServer, .pinMismatch, .oversizedReply:
            self.init(.communication, error.reason)
        default: self.init(.unexpectedError, error.reason)
        }
    }
}

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

public import PushCore

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

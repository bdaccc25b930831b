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

extension DeviceToken {
    /// Whether an enrollment's vendor has the newest device token.
    @nonexhaustive
    public enum State: Hashable, Sendable {
        /// The vendor has acknowledged the newest token.
        case current
        /// The vendor hasn't been told yet; that is tried until it works.
        case waiting
        /// The vendor has no call for a new token: enroll again to change it.
        case unsupported
    }
}

/// The device token that an enrollment's vendor should have.
enum DesiredDeviceToken: Hashable {
    /// The app has said nothing of it.
    case unspecified
    /// This token; `nil` if it was taken away.
    case token(DeviceToken?)

    /// The token, if there is one.
    var token: DeviceToken? {
        if case .token(let token) = self { token } else { nil }
    }
}

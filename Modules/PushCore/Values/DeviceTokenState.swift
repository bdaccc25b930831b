/// Whether an enrollment's vendor has the newest device token.
@nonexhaustive
public enum DeviceTokenState: Hashable, Sendable {
    /// The vendor has acknowledged the newest token.
    case current
    /// The vendor hasn't been told yet; that is tried until it works.
    case waiting
    /// The vendor has no call for a new token: enroll again to change it.
    case unsupported
}

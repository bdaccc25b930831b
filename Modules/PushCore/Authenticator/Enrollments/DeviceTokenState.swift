/// Whether an enrollment's vendor has the newest device token.
@nonexhaustive
public enum DeviceTokenState: Hashable, Sendable {
    /// The vendor has acknowledged it.
    case current
    /// It hasn't been told yet; that is tried again until it works.
    case waiting
    /// The vendor has no call for it: enroll again to change it.
    case noCall
}

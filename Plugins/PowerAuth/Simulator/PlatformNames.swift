extension PowerAuthSimulator {
    /// The names of push platforms that a release of the server takes.
    @nonexhaustive
    public enum PlatformNames: Hashable, Sendable {
        /// Before 1.10: `ios`, `android` and `huawei`.
        case before110
        /// From 1.10: `apns`, `fcm` and `hms`, and still the older ones.
        case current
        /// The newer names only. Whether servers 2.x are so is UNCONFIRMED.
        case newOnly
    }
}

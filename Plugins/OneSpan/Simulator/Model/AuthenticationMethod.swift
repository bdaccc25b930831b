extension OneSpanSimulator {
    /// How the user authenticates before an approval.
    @nonexhaustive
    public enum AuthenticationMethod: UInt8, Hashable, Sendable, CaseIterable {
        /// Not at all.
        case none = 0
        /// By the password that was chosen at activation. OneSpan's `passKey` `PIN`.
        case password = 1
        /// By biometry, or the password in its place. OneSpan's `passKey` `Fingerprint`.
        case biometric = 2
    }
}

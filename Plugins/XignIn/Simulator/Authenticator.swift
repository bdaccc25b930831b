extension XignInSimulator {
    /// A factor that a role may ask for (vendor documentation: `AuthenticatorType`).
    @nonexhaustive
    public enum Authenticator: String, Hashable, Sendable, CaseIterable {
        /// The PIN, proved by a MAC with the key stretched from it.
        case pin
        /// The device, proved by the assertion itself.
        case device
        /// Biometry, proved by the key that it unlocks.
        case biometric
    }
}

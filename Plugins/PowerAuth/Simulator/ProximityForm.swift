extension PowerAuthSimulator {
    /// The forms in which a screen shows an operation and its password.
    public enum ProximityForm: Hashable, Sendable {
        /// A link with `oid` and `totp`.
        case query
        /// A link with `oid` and `potp`.
        case olderQuery
        /// A JWT with `oid` and `totp`. No app checks its signature.
        case token
    }
}

/// An enrollment's one record: its public half, and the secret half that only its provider reads.
///
/// Both halves are always written together, by compare-and-set.
public struct Credential: Sendable {
    /// The public half.
    public var enrollment: Enrollment

    /// The provider's half: keys, counters, tokens, pins. Opaque to the core; a ``SecretRecord``
    /// is a good layout.
    public var secret: Secret

    /// What of this provider's only this enrollment may have (``Vault/create(_:claiming:)``).
    var claims: [String] = []

    /// Creates a record.
    public init(_ enrollment: Enrollment, secret: Secret) {
        self.enrollment = enrollment
        self.secret = secret
    }
}

/// What makes a notice genuine.
@nonexhaustive
public enum Proof: String, Hashable, Sendable {
    /// The vendor told it over the enrolled channel.
    case fetched
    /// A message authentication code under the enrollment's own key.
    case mac
    /// A signature by the issuer's key.
    case signature
}

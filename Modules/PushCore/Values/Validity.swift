/// Whether a challenge's time has run out, by its server's clock.
public enum Validity: Hashable, Sendable {
    /// There is time left.
    case valid
    /// Its time has run out.
    case expired
    /// Too little is known of the server's clock to say. The vendor decides.
    case uncertain
}

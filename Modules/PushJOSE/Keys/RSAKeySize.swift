import PushCore

/// The sizes of RSA keys, in bits.
public enum RSAKeySize {
    /// The smallest that is taken, and the size of a key that is made unless a larger one is wanted
    /// (RFC 7518 section 3.3).
    public static let smallest = 2048

    // What a signature takes to verify grows with it.
    private static let largest = 16_384

    /// Whether a key of a size is taken: from ``smallest`` to 16,384 bits.
    public static func takes(_ bits: Int) -> Bool { (smallest...largest).contains(bits) }

    static let refusal = PushError(
        .malformed, "Not an RSA key of \(smallest) to \(largest) bits.")
}

/// The version of the PowerAuth protocol that a client speaks.
///
/// Servers of the generations 1.9 and 1.10 take all three, servers 0.24 to 1.8 know the older
/// ones. Signatures are the same in all three, except for the version that the header names;
/// encryption and the digests of tokens differ.
@nonexhaustive public enum PowerAuthVersion: String, Sendable, CaseIterable {
    /// Servers from 0.24.
    case v3_1 = "3.1"
    /// Servers from 1.5: envelopes carry a time and bind what they are for.
    case v3_2 = "3.2"
    /// Servers from 1.9: envelopes are sealed for temporary keys.
    case v3_3 = "3.3"
}

/// What a provider keeps of an enrollment in its own words: keys, counters, tokens, pins.
///
/// A provider makes a type of its own, whose record the core stores and never reads.
/// ``Secret/Record`` is a good layout, and is such a type itself.
public protocol ProviderCredential: Sendable {
    /// Reads it from its record.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if the record is damaged.
    init(reading sealed: Secret) throws(PushError)

    /// Its record.
    var sealed: Secret { get }
}

extension Secret.Record: ProviderCredential {}

/// Bytes that their provider reads each time.
extension Secret: ProviderCredential {
    /// The same bytes.
    public init(reading sealed: Secret) { self = sealed }

    /// The same bytes.
    public var sealed: Secret { self }
}

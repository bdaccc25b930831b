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

/// A credential with secrets that only answers need.
public protocol GuardedCredential: ProviderCredential {
    /// Those secrets, in an order of its own; `[]` while the guard is locked, and then nothing that
    /// needs them works: throw ``PushError`` `locked`. What is set is what was read before, or `[]`.
    var answerSecrets: [Secret] { get set }
}

extension ProviderCredential {
    /// The secrets that only answers need; `nil` if it has none that could be guarded.
    var guardable: [Secret]? { (self as? any GuardedCredential)?.answerSecrets }

    /// The same with these in their place.
    func with(_ secrets: [Secret]) -> Self {
        guard var guarded = self as? any GuardedCredential else { return self }
        guarded.answerSecrets = secrets
        return guarded as? Self ?? self
    }
}

extension Secret.Record: ProviderCredential {}

/// Bytes that their provider reads each time.
extension Secret: ProviderCredential {
    /// The same bytes.
    public init(reading sealed: Secret) { self = sealed }

    /// The same bytes.
    public var sealed: Secret { self }
}

/// The name of one provider in a registry, such as `"acme"` or `"acme/bank-b"`.
///
/// It becomes part of the store's record names, so it must not change between releases of an app.
public struct ProviderID: RawRepresentable, Hashable, Sendable, Codable,
    ExpressibleByStringLiteral
{
    /// The name.
    public let rawValue: String

    /// Creates an identifier from its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates an identifier from a literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

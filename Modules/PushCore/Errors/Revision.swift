/// A record's version. Compare it for equality only.
public struct Revision: Hashable, Sendable {
    /// The store's own number.
    public let value: UInt64

    /// Creates a revision.
    public init(_ value: UInt64) {
        self.value = value
    }
}

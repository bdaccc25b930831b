/// What a remote workflow shows to the user.
///
/// OneSpan's SDK hands over one string, whose form the customer defines; an adapter for it uses
/// ``text(_:)``.
public enum DisplayContent: Hashable, Sendable {
    /// Nothing; the user decides all the same.
    case none
    /// A text of 1 to 4,096 bytes in UTF-8.
    case text(String)
    /// Fields in their order: 1 to 16, the key 1 to 64 bytes and the value up to 256.
    ///
    /// What breaks these limits can't be approved (``DisplayRequest/problem``).
    case fields([Field])

    /// One field.
    public struct Field: Hashable, Sendable {
        /// Its label.
        public let key: String

        /// Its value; may be empty.
        public let value: String

        /// Creates a field.
        public init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }
}

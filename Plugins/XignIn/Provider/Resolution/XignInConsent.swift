/// What approving releases, beside `Resolution.approve`.
///
/// Without it, the only role is taken and exactly the required attributes are released.
public struct XignInConsent: Hashable, Sendable {
    /// The identifier of the role; `nil` for the only one.
    public var role: String?

    /// The names of the attributes to release, with all required ones; `nil` for exactly those.
    public var attributes: Set<String>?

    /// Creates a consent.
    public init(role: String? = nil, attributes: Set<String>? = nil) {
        self.role = role
        self.attributes = attributes
    }
}

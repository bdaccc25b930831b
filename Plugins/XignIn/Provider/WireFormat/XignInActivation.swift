/// What a manager says of a new activation.
public struct XignInActivation: Hashable, Sendable {
    /// The account's display name; `nil` if the manager doesn't say.
    public let account: String?

    /// Creates a value.
    public init(account: String?) {
        self.account = account
    }
}

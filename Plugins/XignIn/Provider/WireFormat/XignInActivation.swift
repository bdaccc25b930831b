public import PushCore

/// What a manager says of a new activation.
public struct XignInActivation: Sendable {
    /// The account's display name; `nil` if the manager doesn't say.
    public let account: String?

    /// What the format keeps of it from now on.
    public let record: Secret

    /// Creates a value.
    public init(account: String?, record: Secret) {
        self.account = account
        self.record = record
    }
}

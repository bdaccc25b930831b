public import PushCore

/// A manager that is personalized on this device.
public struct IdentityManager: Hashable, Sendable, Identifiable {
    /// The manager's identifier.
    public let identifier: String

    /// The token that the manager has confirmed to have; `nil` if none.
    public let pushToken: String?

    /// The account's display name.
    public let account: String?

    /// The manager's host.
    public let host: String?

    /// Whether the activation can be used.
    public let state: Enrollment.State

    /// The manager's identifier.
    public var id: String { identifier }

    init(_ enrollment: Enrollment) {
        identifier = enrollment.id.name
        pushToken = if case .fcm(let text)? = enrollment.deviceToken { text } else { nil }
        account = enrollment.account
        host = enrollment.host
        state = enrollment.state
    }
}

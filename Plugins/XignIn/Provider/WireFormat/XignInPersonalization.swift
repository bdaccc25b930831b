public import PushCore

/// What an activation link says, for the user's consent.
public struct XignInInvitation: Hashable, Sendable {
    /// The manager's identifier.
    public let idmIdentifier: String

    /// The host that personalizing contacts, and the only one.
    public let host: String

    /// The port of that host.
    public let port: Int

    /// Creates an invitation.
    public init(idmIdentifier: String, host: String, port: Int = 443) {
        self.idmIdentifier = idmIdentifier
        self.host = host
        self.port = port
    }

    /// As ``Endpoint/hostWithPort``.
    var hostWithPort: String { Endpoint.hostWithPort(host, port, isSecure: true) }
}

/// What a personalization is made of.
public struct XignInPersonalization: Sendable {
    /// The activation link, a secret.
    public let link: Secret

    /// The PIN that the user chose, as typed; `nil` for none.
    public let pin: Secret?

    /// What biometry is to unlock, for a key of the activation; `nil` for none. It isn't kept.
    public let biometry: Secret?

    /// Where the manager can reach this device; `nil` if the app doesn't know yet.
    public let deviceToken: DeviceToken?
}

/// What a manager says of a new activation.
public struct XignInActivation: Sendable {
    /// The account's display name.
    package let account: String?

    /// What the format keeps of it from now on.
    package let record: Secret

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - account: The account's display name; `nil` if the manager doesn't say.
    ///   - record: What the format keeps of the activation from now on.
    public init(account: String?, record: Secret) {
        self.account = account
        self.record = record
    }
}

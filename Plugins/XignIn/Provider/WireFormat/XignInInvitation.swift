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
}

/// What an activation link says, for the user's consent.
public struct XignInInvitation: Hashable, Sendable {
    /// The manager's identifier.
    public let idmIdentifier: String

    /// The host that personalizing contacts.
    public let host: String

    /// Creates an invitation.
    public init(idmIdentifier: String, host: String) {
        self.idmIdentifier = idmIdentifier
        self.host = host
    }
}

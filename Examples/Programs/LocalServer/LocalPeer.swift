/// Who is at the other end of a connection.
public struct LocalPeer: Sendable {
    /// The certificate that the client presented, whose key it has. Nobody has judged yet whether to
    /// trust it. `nil` if there is none, or the server didn't ask.
    public let certificate: ClientCertificate?

    /// Says that a credential was accepted on this connection: it is kept for longer then, and isn't
    /// closed for one that has proved nothing.
    public let acceptCredential: @Sendable () -> Void
}

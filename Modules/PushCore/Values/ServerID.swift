/// One server as one provider reaches it: what it says of its time, or asks of its clients, counts
/// there alone.
///
/// Two providers that share a host share nothing of this: whoever a code names as its host would
/// otherwise speak for a bank that has the same one.
public struct ServerID: Hashable, Sendable {
    /// The provider that talks to it; `nil` for what the app itself sends.
    public let provider: ProviderID?

    /// The host, in lower case.
    public let host: String

    /// The port.
    public let port: Int

    /// Names a server.
    public init(host: String, port: Int = 443, of provider: ProviderID?) {
        self.provider = provider
        self.host = host.lowercased()
        self.port = port
    }

    /// Names the server of an endpoint.
    public init(_ endpoint: Endpoint, of provider: ProviderID?) {
        self.init(host: endpoint.host, port: endpoint.port, of: provider)
    }
}

extension Enrollment {
    /// The server whose clock the enrollment's challenges follow; `nil` if it isn't known.
    public var server: ServerID? {
        host.map { ServerID(host: $0, port: port, of: id.provider) }
    }
}

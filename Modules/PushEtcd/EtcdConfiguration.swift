public import PushCore

#if os(Linux)
public import PushPlatform
#endif

extension EtcdStore {
    /// Which etcd, and how long to wait for it.
    public struct Configuration: Sendable {
        /// The members as `https://host:2379`; those that are named are asked, and no others.
        public var members: [String]

        /// Whose records these are: 1 to 64 letters, digits, `-`, `_` and `.`. The keys start with
        /// `pa/1/` and this, then a slash.
        public var tenant: String

        /// Who the store is, where etcd has authentication on.
        public var login: Login?

        /// How long one member may take, 3 seconds by default.
        public var tryTimeout: Duration

        /// How long an operation is tried again, 10 seconds by default: an election takes some.
        public var patience: Duration

        /// Hears of each write whose reply was lost what became of it. It must return at once.
        public var onSettled: (@Sendable (SettledWrite) -> Void)?

        /// Creates a configuration.
        public init(
            members: [String], tenant: String, login: Login? = nil,
            tryTimeout: Duration = .seconds(3), patience: Duration = .seconds(10)
        ) {
            self.members = members
            self.tenant = tenant
            self.login = login
            self.tryTimeout = tryTimeout
            self.patience = patience
        }
    }

    /// A user of etcd.
    public struct Login: Sendable {
        /// The user's name.
        public let user: String
        /// The password.
        public let password: Secret

        /// Creates a login.
        public init(user: String, password: Secret) {
            self.user = user
            self.password = password
        }
    }
}

#if os(Linux)
extension CurlTransport.Configuration {
    /// What a transport of an `EtcdStore` keeps to: replies of 4 MiB, 16 connections, 3 seconds.
    ///
    /// - Parameters:
    ///   - certificateAuthorities: Who may vouch for the members.
    ///   - clientCertificate: What proves to the members that this machine may connect.
    ///   - plainHTTP: Where plain HTTP may go.
    /// - Returns: The configuration.
    public static func etcd(
        certificateAuthorities: CurlTransport.CertificateAuthorities = .system,
        clientCertificate: CurlTransport.ClientCertificate? = nil,
        plainHTTP: PlainHTTP = .refused
    ) -> CurlTransport.Configuration {
        CurlTransport.Configuration(
            plainHTTP: plainHTTP, certificateAuthorities: certificateAuthorities,
            clientCertificate: clientCertificate, connectTimeout: .seconds(2),
            timeout: .seconds(3), maximumBodySize: 1 << 22, maximumConnections: 16)
    }
}
#endif

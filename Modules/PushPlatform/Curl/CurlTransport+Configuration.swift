#if os(Linux)
public import PushCore

extension CurlTransport {
    /// What a transport allows and how long it waits.
    ///
    /// Verification of the server has no switch.
    public struct Configuration: Hashable, Sendable {
        /// Where plain HTTP may go; `refused` by default.
        public var plainHTTP: PlainHTTP

        /// Who may vouch for a server; the system's authorities by default.
        public var certificateAuthorities: CertificateAuthorities

        /// Which servers must also show which keys; none by default.
        ///
        /// Plain HTTP to a host with pins is refused, whatever ``plainHTTP`` says.
        public var pins: ServerPins

        /// How long the lookup of a name, the connection and its TLS handshake may take together.
        ///
        /// 10 seconds by default; counted in milliseconds, and never less than one.
        public var connectTimeout: Duration

        /// How long the whole exchange may take.
        ///
        /// 30 seconds by default; counted in milliseconds, and never less than one.
        public var timeout: Duration

        /// The most bytes a reply's body may have; 1 MiB by default.
        ///
        /// A reply's fields, informational replies included, may have 64 KiB.
        public var maximumBodySize: Int

        /// Creates a configuration; each value not given keeps its default.
        public init(
            plainHTTP: PlainHTTP = .refused,
            certificateAuthorities: CertificateAuthorities = .system,
            pins: ServerPins = ServerPins(),
            connectTimeout: Duration = .seconds(10),
            timeout: Duration = .seconds(30),
            maximumBodySize: Int = 1 << 20
        ) {
            self.plainHTTP = plainHTTP
            self.certificateAuthorities = certificateAuthorities
            self.pins = pins
            self.connectTimeout = connectTimeout
            self.timeout = timeout
            self.maximumBodySize = maximumBodySize
        }
    }

    /// Who may vouch for a server.
    public enum CertificateAuthorities: Hashable, Sendable {
        /// The authorities that the system's libcurl trusts.
        case system
        /// The certificates in a PEM file, and nobody else.
        case file(String)
    }
}

extension Duration {
    /// Whole milliseconds, at least one, at most what every system's `long` holds.
    var timeoutMilliseconds: Int {
        let (seconds, attoseconds) = components
        let longest: Int64 = 2_000_000
        guard seconds < longest else { return Int(longest) * 1_000 }
        guard seconds >= 0 else { return 1 }
        return max(1, Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
#endif

public import HTTPTypes

/// An absolute `http` or `https` URL, kept and sent verbatim.
///
/// It isn't normalized: the vendor gets the path and the query exactly as it wrote them. So the
/// host must have a form that every client reads alike.
public struct Endpoint: Hashable, Sendable {
    /// The URL as it was given.
    public let text: String

    /// The scheme, in lower case: `http` or `https`.
    public let scheme: String

    /// Host and port as given.
    public let authority: String

    /// The host in lower case, without brackets and port.
    public let host: String

    /// The port, or the scheme's default.
    public let port: Int

    /// The path and query as given; `/` for none.
    public let path: String

    /// Reads a URL.
    ///
    /// Its host is a domain name of letters, digits, hyphens and underscores, an international one
    /// in its `xn--` form; an IPv4 address as four decimal numbers; or an IPv6 address in brackets,
    /// without a zone. Forms that browsers refuse or rewrite, such as `127.1`, `0x7f.1` or
    /// `1.2.3.08`, are refused.
    ///
    /// - Throws: ``PushError`` with the code `malformed` for anything but an absolute `http` or
    ///   `https` URL of printable ASCII with such a host, without user, password and fragment.
    public init(_ text: String) throws(PushError) {
        guard let parsed = Self.split(text) else {
            throw PushError(.malformed, "Not an absolute http or https URL.")
        }
        self.text = text
        (scheme, authority, host, port, path) = parsed
    }

    /// Whether the endpoint uses TLS.
    public var isSecure: Bool { scheme == "https" }

    /// Whether the host is an IP address, `localhost`, or a name that ends in `.localhost`.
    ///
    /// No vendor's server on the internet has such a host. A plugin refuses such an endpoint in a
    /// code or a message, unless the app allows it, such as for a server under development.
    public var isAddressOrLocalhost: Bool {
        guard let name = try? HostName(host) else { return true }
        return name.isAddress || name.isLocalhost
    }

    /// Scheme, host and port. Two endpoints with the same origin are one server to the web.
    public var origin: String { "\(scheme)://\(Self.bracketed(host)):\(port)" }

    /// The host for people, with the port unless that is the scheme's default.
    public var hostWithPort: String {
        Self.hostWithPort(host, port, isSecure: isSecure)
    }

    /// As ``hostWithPort``, of a host without brackets.
    package static func hostWithPort(_ host: String, _ port: Int, isSecure: Bool) -> String {
        port == (isSecure ? 443 : 80) ? host : "\(bracketed(host)):\(port)"
    }

    private static func bracketed(_ host: String) -> String {
        host.contains(":") ? "[\(host)]" : host
    }

    /// A request to this endpoint.
    public func request(_ method: HTTPRequest.Method, headers: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: scheme, authority: authority, path: path, headerFields: headers)
    }

    private typealias Parts = (
        scheme: String, authority: String, host: String, port: Int, path: String
    )

    /// By bytes: all of them are ASCII's, and to look for characters takes many times as long.
    private static func split(_ text: String) -> Parts? {
        let bytes = text.utf8
        let isAllowed = bytes.allSatisfy {
            0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "#")
        }
        guard isAllowed, let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[colon...].starts(with: "://".utf8)
        else { return nil }
        let scheme = text[..<colon].lowercased()
        guard scheme == "https" || scheme == "http" else { return nil }
        let rest = text[bytes.index(colon, offsetBy: 3)...]
        let end =
            rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            ?? rest.endIndex
        let authority = rest[..<end]
        guard let (host, port) = splitAuthority(authority) else { return nil }
        let path = String(rest[end...])
        return (
            scheme, String(authority), host, port ?? (scheme == "https" ? 443 : 80),
            path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
        )
    }

    private static func splitAuthority(_ authority: Substring) -> (host: String, port: Int?)? {
        var host = authority
        var port: Int?
        let bytes = authority.utf8
        let afterBracket = bytes.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        if let colon = bytes[afterBracket...].lastIndex(of: UInt8(ascii: ":")) {
            let digits = authority[bytes.index(after: colon)...]
            guard (1...5).contains(digits.utf8.count),
                digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
                let number = Int(digits), (1...65535).contains(number)
            else { return nil }
            port = number
            host = authority[..<colon]
        }
        let hasBrackets = host.utf8.first == UInt8(ascii: "[")
        // In brackets stands an IPv6 address; without a colon it could be taken for another origin.
        guard let name = try? HostName(String(host)),
            host.utf8.contains(UInt8(ascii: ":")) == hasBrackets,
            !name.isAddress || host.utf8.last != UInt8(ascii: ".")
        else { return nil }
        return ((hasBrackets ? host.dropFirst().dropLast() : host).lowercased(), port)
    }
}

extension Endpoint {
    /// One server as one provider reaches it. Its time and the pauses that it asks for count for
    /// this provider alone.
    ///
    /// Otherwise, a server that one vendor's code names could speak for another vendor's server at
    /// the same host.
    public struct ServerID: Hashable, Sendable {
        /// The provider that sends requests to it; `nil` for the app's own requests.
        public let provider: ProviderID?

        /// The host in lower case.
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
}

extension Enrollment {
    /// The server whose clock the enrollment's challenges follow, if known.
    public var server: Endpoint.ServerID? {
        host.map { Endpoint.ServerID(host: $0, port: port, of: id.provider) }
    }
}

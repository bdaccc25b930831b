package import HTTPTypes
package import PushCore

/// What every request must keep to before a transport opens a connection.
package enum RequestRules {
    /// Where a request goes, once it was found to be well formed and allowed.
    package struct Destination: Hashable, Sendable {
        /// Scheme, authority and path as the request had them.
        package let url: String

        /// Host and port, for error texts.
        package let authority: String

        /// Whether it is plain HTTP to this machine.
        package let isPlainLoopback: Bool
    }

    /// Checks a request.
    ///
    /// A URL is made by joining the parts, so a part may not hold what would let it pass for
    /// another: an `@` would turn the authority into credentials, and a fragment is never sent.
    package static func destination(
        of request: HTTPRequest, bodySize: Int, plainHTTP: PlainHTTP
    ) throws(PushError) -> Destination {
        let authority = request.authority ?? ""
        guard !authority.isEmpty, authority.utf8.allSatisfy(isAllowedInAuthority) else {
            throw refusal("The authority isn't a host with an optional port.")
        }
        let path = request.path ?? ""
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy(isAllowedInPath) else {
            throw refusal("The path doesn't start with a slash, or has a forbidden character.")
        }
        let isLoopback = isLoopback(authority)
        switch (request.scheme?.lowercased(), plainHTTP) {
        case ("https", _), ("http", .allowed):
            break
        case ("http", .loopbackOnly) where isLoopback:
            break
        case ("http", _):
            throw refusal("Plain HTTP to \(authority) isn't allowed.")
        default:
            throw refusal("The scheme is neither https nor http.")
        }
        guard request.method != .connect, request.method != .head || bodySize == 0 else {
            throw refusal("CONNECT isn't a request, and HEAD has no body.")
        }
        try check(request.headerFields, bodySize: bodySize)
        let scheme = request.scheme ?? ""
        return Destination(
            url: "\(scheme)://\(authority)\(path)", authority: authority,
            isPlainLoopback: isLoopback && scheme.lowercased() == "http")
    }

    /// Fields that say how a message is framed or routed would contradict what the connection says.
    private static func check(_ fields: HTTPFields, bodySize: Int) throws(PushError) {
        for field in fields {
            let name = field.name.canonicalName
            guard !framing.contains(name) else {
                throw refusal("The field \(name) belongs to the connection, not to a request.")
            }
            guard name != "content-length" || field.value == String(bodySize) else {
                throw refusal("The field content-length contradicts the body.")
            }
            // HTTPTypes already replaces such bytes; a sender must not rely on it.
            let isClean = field.withUnsafeBytesOfValue { bytes in
                !bytes.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }
            }
            guard isClean else {
                throw refusal("The field \(name) holds a line break or a zero.")
            }
        }
    }

    private static let framing: Set<String> = [
        "connection", "expect", "host", "http2-settings", "keep-alive", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Host, colon and port, an IPv6 address in brackets; no user, no percent-encoding.
    private static func isAllowedInAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "-._~:[]".utf8.contains(byte)
        }
    }

    /// Visible ASCII but for what ends a path, or what some readers take for a slash.
    private static func isAllowedInPath(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "\\")
    }

    private static func isLoopback(_ authority: String) -> Bool {
        let loopbacks = ["localhost", "127.0.0.1", "[::1]"]
        return loopbacks.contains { host in
            guard authority.lowercased().hasPrefix(host) else { return false }
            let rest = authority.utf8.dropFirst(host.utf8.count)
            return rest.isEmpty
                || (rest.first == UInt8(ascii: ":")
                    && rest.dropFirst().allSatisfy { (0x30...0x39).contains($0) })
        }
    }

    private static func refusal(_ reason: String) -> PushError {
        PushError(.insecureRequest, reason)
    }
}

extension ServerPins {
    /// The pins that a request's server is held to, whatever the transport.
    ///
    /// With any rule at all, a host that no rule could name is refused: a client might still
    /// understand it, and take it for a host that has pins.
    ///
    /// - Returns: Its pins; empty if no rule covers it.
    /// - Throws: ``PushError`` with the code `insecureRequest`.
    package func pins(
        for destination: RequestRules.Destination
    ) throws(PushError) -> Set<ServerPin> {
        guard !isEmpty else { return [] }
        let authority = destination.authority
        guard let endpoint = try? Endpoint(destination.url),
            let pins = try? pins(for: endpoint.host)
        else {
            throw PushError(
                .insecureRequest, "The host of \(authority) isn't written as a rule for pins is.")
        }
        guard pins.isEmpty || endpoint.isSecure else {
            throw PushError(
                .insecureRequest, "Plain HTTP to \(authority) isn't allowed: it has pins.")
        }
        return pins
    }
}

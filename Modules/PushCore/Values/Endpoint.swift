public import HTTPTypes

/// An absolute `http` or `https` URL, kept and sent verbatim.
///
/// It isn't normalized, so that what a vendor wrote, path escapes and query included, is what the
/// vendor gets.
public struct Endpoint: Hashable, Sendable {
    /// The URL as it was given.
    public let text: String

    /// The scheme, in lower case: `http` or `https`.
    public let scheme: String

    /// Host and port as given.
    public let authority: String

    /// The host, in lower case, without brackets and port.
    public let host: String

    /// The port, or the scheme's own.
    public let port: Int

    /// The path and query as given; `/` for none.
    public let path: String

    /// Reads a URL.
    ///
    /// - Throws: ``PushError`` with the code `malformed` for anything but an absolute `http` or
    ///   `https` URL of printable ASCII without user, password and fragment.
    public init(_ text: String) throws(PushError) {
        guard let parsed = Self.split(text) else {
            throw PushError(.malformed, "Not an absolute http or https URL.")
        }
        self.text = text
        (scheme, authority, host, port, path) = parsed
    }

    /// Whether it is reached over TLS.
    public var isSecure: Bool { scheme == "https" }

    /// Scheme, host and port: two endpoints with one origin are one server to the web.
    public var origin: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(name):\(port)"
    }

    /// A request to it.
    public func request(_ method: HTTPRequest.Method, headers: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: scheme, authority: authority, path: path, headerFields: headers)
    }

    private typealias Parts = (
        scheme: String, authority: String, host: String, port: Int, path: String
    )

    private static func split(_ text: String) -> Parts? {
        let isPrintable = text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\\") }
        guard isPrintable, !text.contains("#"), let separator = text.firstRange(of: "://") else {
            return nil
        }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" else { return nil }
        let rest = text[separator.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end]
        guard let (host, port) = splitAuthority(authority) else { return nil }
        let path = String(rest[end...])
        return (
            scheme, String(authority), host, port ?? (scheme == "https" ? 443 : 80),
            path.hasPrefix("/") ? path : "/" + path
        )
    }

    private static func splitAuthority(_ authority: Substring) -> (host: String, port: Int?)? {
        var host = authority
        var port: Int?
        let afterBracket = authority.lastIndex(of: "]") ?? authority.startIndex
        if let colon = authority[afterBracket...].lastIndex(of: ":") {
            let digits = authority[authority.index(after: colon)...]
            guard (1...5).contains(digits.utf8.count),
                digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
                let number = Int(digits), (1...65535).contains(number)
            else { return nil }
            port = number
            host = authority[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            let address = host.dropFirst().dropLast()
            // Without a colon it could be taken for a name or an IPv4 address: another origin.
            guard address.contains(":"),
                address.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." })
            else { return nil }
            return (address.lowercased(), port)
        }
        let isName = host.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isName, !host.isEmpty else { return nil }
        return (host.lowercased(), port)
    }
}

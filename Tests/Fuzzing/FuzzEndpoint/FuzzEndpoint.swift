import PushAuthFuzzing
import PushCore

/// Feeds the reader of URLs: what it takes has all its parts, and they are what a request has.
@main
enum FuzzEndpoint {
    static func main() {
        fuzz { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            guard let endpoint = try? Endpoint(text) else { return }
            expect(endpoint.text == text, "the URL is kept verbatim")
            expect(endpoint.scheme == "http" || endpoint.scheme == "https", "the scheme is HTTP's")
            expect(endpoint.isSecure == (endpoint.scheme == "https"), "only HTTPS is secure")
            expect(!endpoint.host.isEmpty, "there is a host")
            expect(endpoint.host == endpoint.host.lowercased(), "the host is in lower case")
            expect(!endpoint.host.contains("@"), "the host holds no user")
            expect((1...65535).contains(endpoint.port), "the port is one")
            expect(endpoint.path.utf8.first == UInt8(ascii: "/"), "the path starts at the root")
            expect(text.hasSuffix(endpoint.path.dropFirst()), "the path is kept verbatim")
            let request = endpoint.request(.get)
            expect(request.path == endpoint.path, "the request has the path")
            expect(request.authority == endpoint.authority, "the request has the authority")
            expect(request.scheme == endpoint.scheme, "the request has the scheme")
        }
    }
}

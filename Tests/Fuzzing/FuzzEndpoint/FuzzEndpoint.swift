import PushAuthFuzzing
import PushCore

/// Feeds the reader of URLs: what it takes has all its parts, its host has one meaning, and they are
/// what a request has.
@main
enum FuzzEndpoint {
    static func main() {
        fuzz { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            guard let endpoint = try? Endpoint(text) else { return }
            expect(endpoint.text == text, "the URL is kept verbatim")
            expect(endpoint.scheme == "http" || endpoint.scheme == "https", "the scheme is HTTP's")
            expect(endpoint.isSecure == (endpoint.scheme == "https"), "only HTTPS is secure")
            expect(endpoint.host == endpoint.host.lowercased(), "the host is in lower case")
            expectOneMeaning(endpoint)
            expect((1...65535).contains(endpoint.port), "the port is one")
            expect(endpoint.path.utf8.first == UInt8(ascii: "/"), "the path starts at the root")
            expect(text.hasSuffix(endpoint.path.dropFirst()), "the path is kept verbatim")
            expect(
                (try? Endpoint(endpoint.origin))?.origin == endpoint.origin,
                "the origin is a URL of that origin")
            let request = endpoint.request(.get)
            expect(request.path == endpoint.path, "the request has the path")
            expect(request.authority == endpoint.authority, "the request has the authority")
            expect(request.scheme == endpoint.scheme, "the request has the scheme")
        }
    }

    /// An IPv6 address, an IPv4 address of four decimal numbers, or a name of labels.
    private static func expectOneMeaning(_ endpoint: Endpoint) {
        let host = endpoint.host
        if host.contains(":") {
            expect(
                host.utf8.allSatisfy {
                    isDigit($0) || (0x61...0x66).contains($0) || $0 == 0x3A || $0 == 0x2E
                },
                "an IPv6 address is one")
            expect(endpoint.isAddressOrLocalhost, "an IPv6 address is told to be one")
            return
        }
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        expect(
            labels.allSatisfy { (1...63).contains($0.utf8.count) && $0 != "xn--" },
            "labels are such")
        expect(name.utf8.count <= 253, "no name is longer than the domain name system's")
        let last = labels.last ?? ""
        guard last.utf8.allSatisfy(isDigit) else {
            let isHexadecimal = last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit)
            expect(!isHexadecimal, "no name ends in a number")
            expect(endpoint.isAddressOrLocalhost == (last == "localhost"), "a name is neither")
            return
        }
        let isDotted =
            labels.count == 4 && labels.allSatisfy { UInt8($0).map(String.init) == String($0) }
        expect(isDotted && host == name, "an IPv4 address is in dotted decimal")
        expect(endpoint.isAddressOrLocalhost, "an IPv4 address is told to be one")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

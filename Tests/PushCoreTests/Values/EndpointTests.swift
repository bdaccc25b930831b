import HTTPTypes
import PushCore
import Testing

struct EndpointTests {
    @Test(
        arguments: [
            ("https://acme.example", "acme.example", 443, "/"),
            ("http://acme.example", "acme.example", 80, "/"),
            ("HTTPS://Acme.Example/", "acme.example", 443, "/"),
            ("https://acme.example:8443/a/b?c=d", "acme.example", 8443, "/a/b?c=d"),
            ("https://acme.example?c=d", "acme.example", 443, "/?c=d"),
            ("https://acme.example?", "acme.example", 443, "/?"),
            (
                "https://acme.example/%2e%2E/a%20b//./../x;y=1", "acme.example", 443,
                "/%2e%2E/a%20b//./../x;y=1"
            ),
            (
                "https://acme.example/json/push?_action=register&next=http://b.example/@x:1",
                "acme.example", 443, "/json/push?_action=register&next=http://b.example/@x:1"
            ),
            ("https://127.0.0.1:1/", "127.0.0.1", 1, "/"),
            ("https://[::1]", "::1", 443, "/"),
            ("https://[2001:DB8::1]:65535/x", "2001:db8::1", 65535, "/x"),
            ("https://[::ffff:1.2.3.4]/", "::ffff:1.2.3.4", 443, "/"),
            ("https://host_name-1/", "host_name-1", 443, "/"),
        ] as [(String, String, Int, String)])
    func `an absolute URL is read and kept verbatim`(
        text: String, host: String, port: Int, path: String
    ) throws {
        let endpoint = try Endpoint(text)
        #expect(endpoint.text == text)
        #expect((endpoint.host, endpoint.port, endpoint.path) == (host, port, path))
        #expect(endpoint.isSecure == text.lowercased().hasPrefix("https:"))
    }

    @Test(arguments: [
        "", "acme.example", "/path", "//acme.example", "https:", "https:/acme.example", "https://",
        "https:///path", "https://?x", "https://:443/", "ftp://acme.example", "httpss://a",
        "file:///etc/passwd", "javascript://a", " https://a", "https://a ", "https://a b/",
        "https://a/#fragment", "https://a#", "https://user@a/", "https://user:pw@a/",
        "https://a:80@b/", "https://a@/", "https://a:", "https://a:/", "https://a:0/",
        "https://a:65536/", "https://a:123456/", "https://a:-1/", "https://a:8 0/", "https://a:x/",
        "https://a\\b/", "https://a/\\", "https://a\u{0}/", "https://a/\r\nX: y",
        "https://a/\u{7F}",
        "https://münchen.example/", "https://a/é", "https://a%2eb/", "https://a,b/", "https://*/",
        "https://[]", "https://[", "https://]", "https://[::1", "https://::1/", "https://[::1]x/",
        "https://[::1]:", "https://[fe80::1%25eth0]/", "https://[abc]/", "https://[1.2.3.4]/",
        "https://a[::1]/", "https://[::g]/",
    ])
    func `anything else is refused, without repeating it`(text: String) throws {
        let error = try #require(throws: PushError.self) { try Endpoint(text) }
        #expect(error.code == .malformed)
        #expect(error.reason == "Not an absolute http or https URL.")
    }

    @Test func `a host is shown with its port where that isn't its scheme's own`() throws {
        for (text, shown) in [
            ("https://A.example:443/x", "a.example"), ("http://a.example:80", "a.example"),
            ("https://a.example:80", "a.example:80"), ("https://[::1]/", "::1"),
            ("https://[::1]:8443/", "[::1]:8443"),
        ] {
            #expect(try Endpoint(text).hostWithPort == shown)
        }
    }

    @Test func `one origin is one scheme, host and port`() throws {
        #expect(try Endpoint("https://A.example/x").origin == "https://a.example:443")
        #expect(try Endpoint("https://a.example:443").origin == "https://a.example:443")
        #expect(try Endpoint("http://a.example").origin == "http://a.example:80")
        #expect(try Endpoint("https://[::1]").origin == "https://[::1]:443")
    }

    @Test func `a request carries the URL verbatim`() throws {
        let endpoint = try Endpoint("https://Acme.example:8443/a%20b?x")
        let request = endpoint.request(.post, headers: [.accept: "x/y"])
        #expect(request.scheme == "https" && request.authority == "Acme.example:8443")
        #expect(request.path == "/a%20b?x" && request.method == .post)
        #expect(request.headerFields[.accept] == "x/y")
    }
}

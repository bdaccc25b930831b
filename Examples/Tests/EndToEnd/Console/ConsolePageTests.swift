import Foundation
import HTTPTypes
import Testing

@testable import push_lab

@Suite struct ConsolePageTests {
    @Test func `pages can be read without scripts, and link to every vendor and user`() async throws
    {
        try await withSite { site, fetch in
            let index = try await fetch(.get, "/", "", [:])
            #expect(index.status == 200)
            for vendor in ConsoleVendors.all() {
                #expect(index.text.contains("href=\"/\(vendor.name)/jane\""))
                let page = try await fetch(.get, "/\(vendor.name)/jane", "", [:])
                #expect(page.status == 200)
                #expect(page.text.contains("<form method=\"post\""))
                #expect(page.text.contains("lang=\"en\""))
            }
        }
    }

    @Test func `a button works without scripts, and says why where it can't`() async throws {
        try await withSite { _, fetch in
            let login = try await fetch(.post, "/forgerock/jane/login", "kind=confirm", [:])
            #expect(login.status == 400)
            #expect(login.text.contains("<div id=\"alert\" role=\"alert\"><p>"))
            let expired = try await fetch(.post, "/forgerock/jane/expire", "", [:])
            #expect(expired.status == 303)
        }
    }

    @Test func `what a user is called can't become markup`() async throws {
        try await withSite { _, fetch in
            let refused = try await fetch(.post, "/users", "user=%3Cscript%3E", [:])
            #expect(refused.status == 400)
            #expect(!refused.text.contains("<script>"))
            #expect(try await fetch(.post, "/users", "user=ann", [:]).status == 303)
            #expect(try await fetch(.get, "/", "", [:]).text.contains("/forgerock/ann"))
            #expect(try await fetch(.get, "/forgerock/nobody", "", [:]).status == 404)
            #expect(try await fetch(.get, "/acme/jane", "", [:]).status == 404)
        }
    }

    @Test(arguments: [
        ("/nothing", ["/"]), ("/acme/jane", ["/"]), ("/forgerock", ["/", "/forgerock/jane"]),
        ("/forgerock/bob", ["/", "/forgerock/john"]),
        ("/forgerock/jane/login", ["/forgerock/jane", "/"]), ("/a/b/c/d", ["/"]),
    ])
    func `a page that isn't there says so, and leads back`(path: String, ways: [String])
        async throws
    {
        try await withSite { _, fetch in
            let page = try await fetch(.get, path, "", [:])
            #expect(page.status == 404)
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(page.headers[try #require(.init("Content-Security-Policy"))] != nil)
            for way in ways { #expect(page.text.contains("href=\"\(way)\"")) }
        }
    }

    @Test func `every page has an icon`() async throws {
        try await withSite { _, fetch in
            #expect(try await fetch(.get, "/", "", [:]).text.contains("href=\"/favicon.svg\""))
            let icon = try await fetch(.get, "/favicon.svg", "", [:])
            #expect(icon.headers[.contentType] == "image/svg+xml; charset=utf-8")
            #expect(icon.text.hasPrefix("<svg ") && icon.text.hasSuffix("</svg>\n"))
        }
    }

    @Test(arguments: [".", "..", "%2E%2E", "a%2Fb", ""])
    func `a user whose pages nobody could reach is refused`(name: String) async throws {
        try await withSite { site, fetch in
            let before = await site.console.users
            let reply = try await fetch(.post, "/users", "user=\(name)", [:])
            #expect(reply.status == 400)
            #expect(await site.console.users == before)
        }
    }

    @Test func `every user that is accepted has a page`() async throws {
        try await withSite { _, fetch in
            for name in ["...", "-", "a.b", "..a"] {
                let added = try await fetch(.post, "/users", "user=\(name)", [:])
                #expect(added.status == 303)
                let page = try await fetch(.get, "/forgerock/\(name)", "", [:])
                #expect(page.status == 200)
            }
        }
    }

    @Test func `another site can neither post a form nor reach it by a name of its own`()
        async throws
    {
        try await withSite { _, fetch in
            let posted = try await fetch(
                .post, "/users", "user=mallory",
                [try #require(.init("Origin")): "https://evil.example"]
            )
            #expect(posted.status == 403)
            #expect(posted.text.contains(">The console</a>"))
            #expect(!(try await fetch(.get, "/", "", [:]).text.contains("mallory")))
        }
    }

    @Test func `pages load nothing but their own`() async throws {
        try await withSite { _, fetch in
            let policy = try await fetch(.get, "/", "", [:])
                .headers[try #require(.init("Content-Security-Policy"))]
            #expect(policy?.contains("default-src 'none'") == true)
        }
    }

    @Test func `what is interpolated is text, unless it is markup`() {
        let name = "<b>\"&'"
        let inner: Markup = "<i>\(name)</i>"
        let outer: Markup = "<p>\(inner)\([inner])</p>"
        let escaped = "<i>&lt;b&gt;&quot;&amp;&#39;</i>"
        #expect(outer.html == "<p>\(escaped)\(escaped)</p>")
    }

    private func withSite(
        _ body: (
            ConsoleSite,
            (HTTPRequest.Method, String, String, HTTPFields) async throws -> ConsoleDevice.Reply
        ) async throws -> Void
    ) async throws {
        try await ConsoleDevice.run { console in
            try await body(console.site) { try await console.fetch($0, $1, $2, $3) }
        }
    }
}

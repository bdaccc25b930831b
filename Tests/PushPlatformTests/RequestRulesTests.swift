#if os(Linux)
import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushTransportRules
import Testing

@testable import PushPlatform

@Suite struct `A request` {
    @Test func `over plain HTTP is refused by default, and nothing is connected`() async throws {
        let server = try LoopbackServer { $0.awaitHangUp() }
        let error = try await refusal {
            try await CurlTransport().send(.get(server), body: Data())
        }
        #expect(error.code == .insecureRequest)
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: ["localhost", "LocalHost:80", "127.0.0.1", "127.0.0.1:8080", "[::1]:1"])
    func `over plain HTTP may go to this machine`(authority: String) throws {
        let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
        let destination = try RequestRules.destination(
            of: request, bodySize: 0, plainHTTP: .loopbackOnly)
        #expect(destination.url == "http://\(authority)/")
        #expect(destination.isPlainLoopback)
    }

    @Test(arguments: [
        "acme.test", "localhost.acme.test", "127.0.0.1.acme.test", "10.0.0.1", "localhost:80:1",
        "127.0.0.12", "[::1]x",
    ])
    func `over plain HTTP may go nowhere else, unless that is allowed`(authority: String) throws {
        let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
        #expect(throws: PushError.self) {
            try RequestRules.destination(of: request, bodySize: 0, plainHTTP: .loopbackOnly)
        }
        let destination = try RequestRules.destination(
            of: request, bodySize: 0, plainHTTP: .allowed)
        #expect(!destination.isPlainLoopback)
    }

    struct Target {
        let scheme: String?
        let authority: String?
        let path: String?

        init(_ scheme: String?, _ authority: String?, _ path: String?) {
            (self.scheme, self.authority, self.path) = (scheme, authority, path)
        }
    }

    @Test(arguments: [
        Target("ftp", "acme.test", "/"), Target(nil, "acme.test", "/"), Target("https", nil, "/"),
        Target("https", "", "/"), Target("https", "acme.test", nil),
        Target("https", "acme.test", ""),
        Target("https", "acme.test", "*"), Target("https", "acme.test", "@evil.test/"),
        Target("https", "acme.test", "/a b"), Target("https", "acme.test", "/a\r\nX: 1"),
        Target("https", "acme.test", "/a#b"), Target("https", "acme.test", "/\\evil.test"),
        Target("https", "acme.test", "/\u{E9}"), Target("https", "user@acme.test", "/"),
        Target("https", "acme.test/", "/"), Target("https", "acme%2etest", "/"),
        Target("https", "acme.test?", "/"), Target("https", "b\u{FC}cher.test", "/"),
    ])
    func `whose target isn't a plain host and path is refused`(
        target: Target
    ) async throws {
        let request = HTTPRequest(
            method: .get, scheme: target.scheme, authority: target.authority, path: target.path)
        let error = try await refusal {
            try await CurlTransport().send(request, body: Data())
        }
        #expect(error.code == .insecureRequest)
    }

    @Test(arguments: ["acme.test:80:1", "acme.test:99999", "[::1", "["])
    func `to a host that libcurl can't read is refused`(authority: String) async throws {
        let request = HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
        let error = try await refusal {
            try await CurlTransport().send(request, body: Data())
        }
        #expect(error.code == .insecureRequest)
    }

    @Test(arguments: [
        ("Host", "evil.test"), ("Transfer-Encoding", "chunked"), ("Connection", "close"),
        ("Expect", "100-continue"), ("Content-Length", "3"),
    ])
    func `whose fields contradict its framing is refused`(
        name: String, value: String
    ) async throws {
        var request = HTTPRequest(
            method: .post, scheme: "https", authority: "acme.test", path: "/")
        request.headerFields[.custom(name)] = value
        let error = try await refusal {
            try await CurlTransport().send(request, body: Data("four".utf8))
        }
        #expect(error.code == .insecureRequest)
    }

    @Test(arguments: [(HTTPRequest.Method.connect, 0), (.head, 1)])
    func `that HTTP has no form for is refused`(
        method: HTTPRequest.Method, bodySize: Int
    ) async throws {
        let request = HTTPRequest(
            method: method, scheme: "https", authority: "acme.test", path: "/")
        let error = try await refusal {
            try await CurlTransport().send(request, body: Data(count: bodySize))
        }
        #expect(error.code == .insecureRequest)
    }

    @Test func `can't smuggle a field into another's value`() async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil { connection.reply() }
        }
        var request = HTTPRequest.get(server)
        let value = Array("a\r\nX-Evil: 1\0".utf8)
        request.headerFields.append(HTTPField(name: .custom("X-Note"), lenientValue: value))
        _ = try await CurlTransport(.init(plainHTTP: .loopbackOnly)).send(request, body: Data())
        #expect(server.requests.first?.values(of: "X-Evil") == [])
        #expect(server.requests.first?.lines.count == 4)
    }

    @Test(arguments: [
        (Duration.zero, 1), (.seconds(-5), 1), (.microseconds(10), 1), (.milliseconds(1500), 1500),
        (.seconds(Int64.max), 2_000_000_000),
    ])
    func `has a time-out libcurl can count`(duration: Duration, milliseconds: Int) {
        #expect(duration.timeoutMilliseconds == milliseconds)
    }
}

@Suite struct `The head of a reply` {
    @Test func `is the last one, without what came before and after`() {
        let head = head([
            "HTTP/1.1 103 Early Hints\r\n", "X-Early: 1\r\n", "\r\n",
            "HTTP/1.1 200 OK\r\n", "X-Own: 2\r\n", "\r\n", "X-Trailer: 3\r\n", "\r\n",
        ])
        #expect(head.fields == [.custom("X-Own"): "2"])
    }

    @Test func `joins a folded field, and skips what isn't one`() {
        let head = head([
            "HTTP/1.1 200 OK\r\n", " orphan\r\n", "X-Folded: a\r\n", "\t b\r\n", "no colon\r\n",
            "bad name: 1\r\n", ": 2\r\n", "X-Empty:\r\n", "\r\n",
        ])
        #expect(head.fields == [.custom("X-Folded"): "a b", .custom("X-Empty"): ""])
    }

    @Test func `ends where its room does`() {
        var head = ReplyHead()
        let line = Array((String(repeating: "a", count: ReplyHead.limit - 2) + "\r\n").utf8)
        #expect(line.withUnsafeBytes { head.take($0) })
        #expect(!Array("\n".utf8).withUnsafeBytes { head.take($0) })
    }

    private func head(_ lines: [String]) -> ReplyHead {
        var head = ReplyHead()
        for line in lines { #expect(Array(line.utf8).withUnsafeBytes { head.take($0) }) }
        return head
    }
}
#endif

#if os(Linux)
import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import PushTesting
import Testing

@Suite struct `A curl transport` {
    private let transport = CurlTransport(.init(plainHTTP: .loopbackOnly))

    @Test func `keeps the promises of a transport`() async {
        let narrow = CurlTransport(.init(plainHTTP: .loopbackOnly, maximumBodySize: 1000))
        #expect(await TransportConformance(narrow, maximumBodySize: 1000).check() == [])
    }

    @Test func `sends path, fields and body as given, and nothing of its own`() async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil { connection.reply() }
        }
        var request = HTTPRequest.post(server, path: "/a%2Fb/../c//./d?x=%2f&y=a+b&z=%zz")
        request.headerFields.append(HTTPField(name: .authorization, value: "Bearer t"))
        request.headerFields.append(HTTPField(name: .custom("X-Twice"), value: "1"))
        request.headerFields.append(HTTPField(name: .custom("X-Twice"), value: "2"))
        request.headerFields.append(HTTPField(name: .custom("X-Empty"), value: ""))
        let body = Data((0...255).map { UInt8($0) })
        _ = try await transport.send(request, body: body)

        let seen = try #require(server.requests.first)
        #expect(seen.requestLine == "POST /a%2Fb/../c//./d?x=%2f&y=a+b&z=%zz HTTP/1.1")
        #expect(seen.body == body)
        #expect(seen.values(of: "Host") == [server.authority])
        #expect(seen.values(of: "Authorization") == ["Bearer t"])
        #expect(seen.values(of: "X-Twice") == ["1", "2"])
        #expect(seen.values(of: "X-Empty") == [""])
        #expect(seen.values(of: "Content-Length") == ["256"])
        #expect(seen.values(of: "Accept-Encoding") == ["identity"])
        #expect(seen.lines.count == 8)
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, []), (.head, []), (.delete, []),
        (.post, ["0"]), (.put, ["0"]), (.patch, ["0"]),
    ])
    func `frames an empty body as its method asks`(
        method: HTTPRequest.Method, lengths: [String]
    ) async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil { connection.reply(204) }
        }
        var request = HTTPRequest.get(server)
        request.method = method
        _ = try await transport.send(request, body: Data())
        #expect(server.requests.first?.requestLine == "\(method.rawValue) / HTTP/1.1")
        #expect(server.requests.first?.values(of: "Content-Length") == lengths)
    }

    @Test func `sends a body with any method, and a length that fits it`() async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil { connection.reply() }
        }
        var request = HTTPRequest.get(server)
        request.method = .delete
        request.headerFields[.contentLength] = "4"
        _ = try await transport.send(request, body: Data("gone".utf8))
        #expect(server.requests.first?.requestLine == "DELETE / HTTP/1.1")
        #expect(server.requests.first?.values(of: "Content-Length") == ["4"])
        #expect(server.requests.first?.body == Data("gone".utf8))
    }

    @Test func `returns the fields and the body as they came`() async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil {
                connection.reply(
                    fields: ["Set-Cookie: a=1", "Set-Cookie: b=2", "X-Padded: \t x \t"],
                    body: "{\"ok\":\u{20AC}}")
            }
        }
        let (response, body) = try await transport.send(.get(server), body: Data())
        #expect(response.headerFields[values: .setCookie] == ["a=1", "b=2"])
        #expect(response.headerFields[.custom("X-Padded")] == "x")
        #expect(body == Data("{\"ok\":\u{20AC}}".utf8))
    }

    @Test func `drops informational replies and trailers`() async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil {
                connection.write("HTTP/1.1 100 Continue\r\nX-Early: 1\r\n\r\n")
                connection.write("HTTP/1.1 103 Early Hints\r\nX-Early: 2\r\n\r\n")
                connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Late: 3\r\n")
                connection.write("\r\n2\r\nab\r\n1\r\nc\r\n0\r\nX-Trailer: 4\r\n\r\n")
            }
        }
        let (response, body) = try await transport.send(.get(server), body: Data())
        #expect(response.status == .ok)
        #expect(response.headerFields.map(\.name.rawName) == ["Transfer-Encoding", "X-Late"])
        #expect(body == Data("abc".utf8))
    }

    @Test func `uses one connection for one exchange after another`() async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil { connection.reply() }
        }
        for _ in 1...3 { _ = try await transport.send(.post(server), body: Data("x".utf8)) }
        #expect(server.requests.count == 3)
        #expect(server.connectionCount == 1)
    }

    @Test func `closes its connections when it is released`() async throws {
        let left = Signal()
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil { connection.reply() }
            left.happen()
        }
        var transport: CurlTransport? = CurlTransport(.init(plainHTTP: .loopbackOnly))
        _ = try await transport?.send(.post(server), body: Data("x".utf8))
        transport = nil
        await left.wait()
        #expect(server.connectionCount == 1)
    }

    // In a process of its own, as the environment belongs to all of a process.
    @Test func `takes a proxy from the environment, but not for plain HTTP to itself`() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer { connection in
                while connection.readRequest() != nil { connection.reply(body: "by proxy") }
            }
            let server = try LoopbackServer { connection in
                while connection.readRequest() != nil { connection.reply(body: "directly") }
            }
            for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
            setenv("http_proxy", "http://\(proxy.authority)", 1)
            let transport = CurlTransport(.init(plainHTTP: .allowed))
            let request = HTTPRequest(
                method: .get, scheme: "http", authority: "acme.test", path: "/a%2Fb?c")
            let far = try await transport.send(request, body: Data())
            #expect(far.body == Data("by proxy".utf8))
            #expect(proxy.requests.first?.requestLine == "GET http://acme.test/a%2Fb?c HTTP/1.1")
            let near = try await transport.send(.get(server), body: Data())
            #expect(near.body == Data("directly".utf8))
        }
    }
}
#endif

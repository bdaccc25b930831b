import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushPlatform
import Testing

@Suite struct `The transport over real sockets` {
    private static let echo: LocalServer.Handler = { request, body in
        var response = HTTPResponse(status: .ok)
        response.headerFields[.custom("X-Path")] = request.path
        response.headerFields[.custom("X-Method")] = request.method.rawValue
        response.headerFields[.custom("X-Authority")] = request.authority
        response.headerFields[.custom("X-Names")] = request.headerFields
            .map(\.name.canonicalName).sorted().joined(separator: " ")
        response.headerFields[.custom("X-Authorization")] = request.headerFields[.authorization]
        return (response, body)
    }

    @Test(arguments: Wire.allCases)
    func `carries a request and its reply verbatim`(wire: Wire) async throws {
        try await TransportSite.run(wire, handler: Self.echo) { site in
            let path = "/a%2Fb/../c//./d?x=%2f&y=a+b"
            var request = site.request(.post, path)
            request.headerFields[.authorization] = "Bearer t"
            let body = Data((0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let reply = try await site.transport.send(request, body: body)

            #expect(reply.body == body)
            let fields = reply.response.headerFields
            #expect(fields[.custom("X-Path")] == path)
            #expect(fields[.custom("X-Method")] == "POST")
            #expect(fields[.custom("X-Authority")] == site.server.authority)
            #expect(fields[.custom("X-Authorization")] == "Bearer t")
            let names = try #require(fields[.custom("X-Names")]).split(separator: " ")
            #expect(!names.contains("accept") && !names.contains("expect"))
        }
    }

    @Test(arguments: Wire.allCases, [200, 204, 302, 307, 400, 404, 503])
    func `returns a reply of any status, and follows none`(
        wire: Wire, status: Int
    ) async throws {
        let handler: LocalServer.Handler = { _, _ in
            let fields: HTTPFields = [.location: "/elsewhere"]
            return (HTTPResponse(status: .init(code: status), headerFields: fields), Data())
        }
        try await TransportSite.run(wire, handler: handler) { site in
            let reply = try await site.transport.send(site.request(.get), body: Data())
            #expect(reply.response.status.code == status)
            #expect(reply.response.headerFields[.location] == "/elsewhere")
            #expect(site.server.traffic.http1Requests + site.server.traffic.http2Requests == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func `asks for the head alone, and uses the connection again`(wire: Wire) async throws {
        let handler: LocalServer.Handler = { _, _ in (HTTPResponse(status: .ok), Data("abc".utf8)) }
        try await TransportSite.run(wire, handler: handler) { site in
            for method in [HTTPRequest.Method.head, .get, .head] {
                let reply = try await site.transport.send(site.request(method), body: Data())
                #expect(reply.response.headerFields[.contentLength] == "3")
                #expect(reply.body == Data((method == .head ? "" : "abc").utf8))
            }
            #expect(site.server.traffic.connections == 1)
        }
    }

    @Test func `speaks HTTP/2 where it is offered over TLS, and only there`() async throws {
        for wire in Wire.allCases {
            try await TransportSite.run(wire, handler: Self.echo) { site in
                _ = try await site.transport.send(site.request(.get), body: Data())
                let traffic = site.server.traffic
                #expect(traffic.http2Requests == (wire == .modern ? 1 : 0))
                #expect(traffic.http1Requests == (wire == .modern ? 0 : 1))
            }
        }
    }

    @Test(arguments: Wire.allCases)
    func `keeps its connection for the next exchange`(wire: Wire) async throws {
        try await TransportSite.run(wire, handler: Self.echo) { site in
            for _ in 1...5 {
                _ = try await site.transport.send(site.request(.post), body: Data("x".utf8))
            }
            #expect(site.server.traffic.connections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func `runs fifty exchanges at a time, again and again`(wire: Wire) async throws {
        try await TransportSite.run(wire, handler: Self.echo) { site in
            for round in 1...4 {
                let echoes = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 1...50 {
                        group.addTask {
                            let body = Data("number \(number) of \(round)".utf8)
                            let request = site.request(.post, "/\(number)")
                            let reply = try await site.transport.send(request, body: body)
                            return reply.body == body
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(echoes == Array(repeating: true, count: 50))
            }
        }
    }

    @Test(arguments: Wire.allCases)
    func `takes no more of a body than allowed`(wire: Wire) async throws {
        let handler: LocalServer.Handler = { _, _ in
            (HTTPResponse(status: .ok), Data(count: 100_001))
        }
        try await TransportSite.run(wire, maximumBodySize: 100_000, handler: handler) { site in
            let error = await failure { () async throws(PushError) in
                try await site.transport.send(site.request(.get), body: Data())
            }
            #expect(error?.code == .oversizedReply)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: Wire.allCases)
    func `waits no longer than allowed`(wire: Wire) async throws {
        let handler: LocalServer.Handler = { _, _ in
            try? await Task.sleep(for: .seconds(3600))
            return (HTTPResponse(status: .ok), Data())
        }
        try await TransportSite.run(wire, timeout: .seconds(3), handler: handler) { site in
            let error = await failure { () async throws(PushError) in
                try await site.transport.send(site.request(.post), body: Data("x".utf8))
            }
            #expect(error?.code == .interrupted)
        }
    }

    // The transport waits longer than the test may, so that only the cancellation can end it.
    @Test(.timeLimit(.minutes(10)), arguments: Wire.allCases)
    func `aborts one exchange and leaves the others alone`(wire: Wire) async throws {
        let arrived = Event()
        let handler: LocalServer.Handler = { request, body in
            guard request.path == "/doomed" else { return (HTTPResponse(status: .ok), body) }
            arrived.happen()
            try? await Task.sleep(for: .seconds(3600))
            return (HTTPResponse(status: .ok), Data())
        }
        try await TransportSite.run(wire, timeout: .seconds(90), handler: handler) { site in
            let doomed = Task {
                await failure { () async throws(PushError) in
                    try await site.transport.send(
                        site.request(.post, "/doomed"), body: Data("x".utf8))
                }
            }
            await arrived.wait()
            async let other = site.transport.send(site.request(.post), body: Data("y".utf8))
            doomed.cancel()
            #expect(await doomed.value?.code == .interrupted)
            #expect(try await other.body == Data("y".utf8))
            let later = try await site.transport.send(site.request(.post), body: Data("z".utf8))
            #expect(later.body == Data("z".utf8))
        }
    }

    @Test func `calls a stopped server unreachable`() async throws {
        let server = try await LocalServer.start(handler: Self.echo)
        await server.stop()
        let transport = CurlTransport(.init(plainHTTP: .loopbackOnly))
        let request = HTTPRequest(
            method: .post, scheme: "http", authority: server.authority, path: "/")
        let error = await failure { () async throws(PushError) in
            try await transport.send(request, body: Data("x".utf8))
        }
        #expect(error?.code == .unreachable)
    }

    @Test func `sends nothing over plain HTTP by default`() async throws {
        try await TransportSite.run(.plain, handler: Self.echo) { site in
            let error = await failure { () async throws(PushError) in
                try await CurlTransport().send(site.request(.post), body: Data("x".utf8))
            }
            #expect(error?.code == .insecureRequest)
            #expect(site.server.traffic.connections == 0)
        }
    }
}

#if os(Linux)
import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import PushTesting
import Testing

/// What needs no TLS; the tests over TLS are in `Examples/Tests/EndToEnd`.
@Suite struct `A transport with pins` {
    private func transport(for host: String) throws -> CurlTransport {
        let pins = try [1, 2].map { try ServerPin(digest: Data(repeating: $0, count: 32)) }
        let rules = try ServerPins([.init(host: host, pins: pins)])
        return CurlTransport(.init(plainHTTP: .allowed, pins: rules))
    }

    @Test func `refuses plain HTTP to a pinned host, and connects to nobody`() async throws {
        let server = try LoopbackServer { $0.awaitHangUp() }
        let transport = try transport(for: "127.0.0.1")
        let error = try await refusal {
            try await transport.send(.get(server), body: Data())
        }
        #expect(error.code == .insecureRequest && error.reason.contains("pins"))
        #expect(server.connectionCount == 0)
    }

    @Test func `sends plain HTTP to another host where that is allowed`() async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil { connection.reply() }
        }
        let reply = try await transport(for: "acme.test").send(.get(server), body: Data())
        #expect(reply.response.status == .ok)
    }

    @Test func `takes no failed handshake for a mismatch`() async throws {
        let server = try LoopbackServer { connection in
            connection.write("HTTP/1.1 400 Not TLS\r\n\r\n")
            connection.awaitHangUp()
        }
        var request = HTTPRequest.get(server)
        request.scheme = "https"
        let transport = try transport(for: "127.0.0.1")
        let error = try await refusal {
            try await transport.send(request, body: Data())
        }
        #expect(error.code == .unreachable)
        #expect(server.requests.isEmpty)
    }
}
#endif

import Foundation
import HTTPTypes
import LocalServer
import NIOSSL
import PushCore
import PushPlatform
import Testing

@Suite struct `An exchange over TLS that is cut off` {
    @Test(
        arguments: [
            "", "HTTP/1.1 200 OK\r\nContent", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf",
        ], [true, false])
    func `is interrupted, however the server closes`(
        reply: String, closesOrderly: Bool
    ) async throws {
        let authority = try LocalAuthority()
        defer { authority.removeFile() }
        let server = try await RawServer.start(
            try authority.identity().tlsConfiguration(), reply: reply,
            closesOrderly: closesOrderly)
        let error = await failure { () async throws(PushError) in
            try await server.send(trusting: authority)
        }
        #expect(error?.code == .interrupted)
        #expect(server.requestCount == 1)
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `isn't noticed where a reply has no length, as the documentation says`(
        closesOrderly: Bool
    ) async throws {
        let authority = try LocalAuthority()
        defer { authority.removeFile() }
        let server = try await RawServer.start(
            try authority.identity().tlsConfiguration(), reply: "HTTP/1.1 200 OK\r\n\r\nhalf",
            closesOrderly: closesOrderly)
        let reply = try await server.send(trusting: authority)
        #expect(reply.body == Data("half".utf8))
        await server.stop()
    }
}

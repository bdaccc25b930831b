#if os(Linux)
import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import PushTesting
import Testing

@Suite struct `A failed exchange over curl` {
    private let transport = CurlTransport(.init(plainHTTP: .loopbackOnly))

    @Test func `with nobody listening is unreachable, with libcurl's reason`() async throws {
        let port = try LoopbackServer.deafPort()
        let error = try await refusal {
            try await transport.send(
                HTTPRequest(
                    method: .post, scheme: "http", authority: "127.0.0.1:\(port)", path: "/"),
                body: Data("x".utf8))
        }
        #expect(error.code == .unreachable)
        let cause = try #require(error.underlying as? CurlFailure)
        #expect(cause.code == 7)
        #expect(cause.description == "\(cause.message) (curl 7)")
        #expect(error.reason.contains("127.0.0.1:\(port)"))
    }

    @Test(arguments: [
        "HTT", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nX-Half",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf",
        "220 smtp.acme.test\r\n", "HTTP/1.1 2x0 OK\r\n\r\n",
    ])
    func `that is cut off after the request was sent is interrupted`(
        reply: String
    ) async throws {
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(reply)
        }
        let error = try await refusal {
            try await transport.send(.post(server), body: Data("x".utf8))
        }
        #expect(error.code == .interrupted)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["Content-Length: 3", "content-length:3 , 5"])
    func `that names two lengths is interrupted`(other: String) async throws {
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\(other)\r\n\r\nwhole")
        }
        let error = try await refusal {
            try await transport.send(.post(server), body: Data("x".utf8))
        }
        #expect(error.code == .interrupted)
    }

    /// Seven bytes of JSON, and 100,000 zeros, packed by gzip.
    private static let packed = (
        small: "H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA",
        large:
            "H4sIAAAAAAACA+3BMQEAAADCoErrn84aHkABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAArwaFwk3FoIYBAA=="
    )

    @Test func `is none where a server packs what nobody asked it to pack`() async throws {
        let narrow = CurlTransport(.init(plainHTTP: .loopbackOnly, maximumBodySize: 1000))
        for (text, isRead) in [(Self.packed.small, true), (Self.packed.large, false)] {
            let body = try #require(Data(base64Encoded: text))
            let server = try LoopbackServer { connection in
                guard connection.readRequest() != nil else { return }
                connection.write(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
                )
                connection.write(body)
            }
            let reply = await Result { () async throws(PushError) in
                try await narrow.send(.post(server), body: Data("x".utf8))
            }
            switch reply {
            case .success(let reply): #expect(isRead && reply.body == Data(#"{"a":1}"#.utf8))
            case .failure(let error): #expect(!isRead && error.code == .oversizedReply)
            }
        }
    }

    @Test func `with a silent server is interrupted when the time is over`() async throws {
        let server = try LoopbackServer { $0.awaitHangUp() }
        let impatient = CurlTransport(
            .init(plainHTTP: .loopbackOnly, timeout: .seconds(2)))
        let error = try await refusal {
            try await impatient.send(.post(server), body: Data("x".utf8))
        }
        #expect(error.code == .interrupted)
        #expect((error.underlying as? CurlFailure)?.code == 28)
    }

    @Test func `without a TLS handshake in time is unreachable`() async throws {
        let server = try LoopbackServer { $0.awaitHangUp() }
        let impatient = CurlTransport(.init(connectTimeout: .milliseconds(200)))
        let error = try await refusal {
            try await impatient.send(.secure(server), body: Data("x".utf8))
        }
        #expect(error.code == .unreachable)
        #expect((error.underlying as? CurlFailure)?.code == 28)
    }

    @Test func `with a server that doesn't speak TLS is unreachable`() async throws {
        let server = try LoopbackServer { connection in
            connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        let error = try await refusal {
            try await transport.send(.secure(server), body: Data("x".utf8))
        }
        #expect(error.code == .unreachable)
    }

    @Test func `without the file of authorities is untrusted, and sends nothing`() async throws {
        let server = try LoopbackServer { $0.awaitHangUp() }
        let misled = CurlTransport(.init(certificateAuthorities: .file("/nowhere/at/all.pem")))
        let error = try await refusal {
            try await misled.send(.secure(server), body: Data("x".utf8))
        }
        #expect(error.code == .untrustedServer)
    }

    @Test func `isn't one if only the reply to HEAD announces a large body`() async throws {
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        }
        let narrow = CurlTransport(.init(plainHTTP: .loopbackOnly, maximumBodySize: 1000))
        var request = HTTPRequest.get(server)
        request.method = .head
        let response = try await narrow.send(request, body: Data()).response
        #expect(response.headerFields[.contentLength] == "1000000")
    }

    @Test(arguments: ["X-Long", "\r\nHTTP/1.1 100 Continue\r\nX-Long"])
    func `with endless fields is told apart`(start: String) async throws {
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 100 Continue\r\n")
            for _ in 1...70 {
                connection.write(start + ": " + String(repeating: "a", count: 1000) + "\r\n")
            }
        }
        let error = try await refusal {
            try await transport.send(.get(server), body: Data())
        }
        #expect(error.code == .oversizedReply)
    }

    @Test func `names neither path, nor fields, nor body`() async throws {
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 s3cret\r\nContent-Length: 99\r\n\r\ns3cret")
        }
        var request = HTTPRequest.post(server, path: "/s3cret?s3cret")
        request.headerFields[.authorization] = "s3cret"
        let error = try await refusal {
            try await transport.send(request, body: Data("s3cret".utf8))
        }
        #expect(!String(reflecting: error).contains("s3cret"))
    }

    @Test func `isn't repeated when a kept connection breaks before the reply`() async throws {
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.reply()
            _ = connection.readRequest()
        }
        _ = try await transport.send(.post(server), body: Data("1".utf8))
        let error = try await refusal {
            try await transport.send(.post(server), body: Data("2".utf8))
        }
        #expect(error.code == .interrupted)
        #expect(server.requests.map(\.body) == [Data("1".utf8), Data("2".utf8)])
    }

    @Test func `is repeated when a kept connection breaks before the reply to GET`() async throws {
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.reply()
            _ = connection.readRequest()
        }
        _ = try await transport.send(.get(server), body: Data())
        let reply = try await transport.send(.get(server), body: Data())
        #expect(reply.response.status == .ok)
        #expect(server.requests.count == 3)
        #expect(server.connectionCount == 2)
    }

    @Test func `is avoided when the server closed a kept connection earlier`() async throws {
        let closed = Signal()
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.reply()
            connection.close()
            closed.happen()
        }
        _ = try await transport.send(.post(server), body: Data("1".utf8))
        await closed.wait()
        _ = try await transport.send(.post(server), body: Data("2".utf8))
        #expect(server.requests.count == 2)
    }
}

extension HTTPRequest {
    static func secure(_ server: LoopbackServer) -> HTTPRequest {
        HTTPRequest(method: .post, scheme: "https", authority: server.authority, path: "/")
    }
}
#endif

import Foundation
import HTTPTypes
import LoopbackServer
import PushCore
import Testing

@testable import PushURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized) struct `A URLSession transport` {
    private let transport: URLSessionTransport

    init() throws {
        transport = try makeTransport(.init(plainHTTP: .loopbackOnly))
    }

    @Test(arguments: [200, 201, 204, 400, 401, 404, 409, 429, 500, 503])
    func `returns a reply of any status`(status: Int) async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil { connection.reply(status) }
        }
        let (response, body) = try await transport.send(.get(server), body: Data())
        #expect(response.status.code == status)
        #expect(body.isEmpty)
    }

    @Test func `sends path, fields and body as given`() async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil { connection.reply() }
        }
        var request = HTTPRequest.post(server, path: "/a%2Fb/c//d?x=%2f&y=a+b")
        request.headerFields[.authorization] = "Bearer t"
        request.headerFields[.contentType] = "application/octet-stream"
        let body = Data((0...255).map { UInt8($0) })
        _ = try await transport.send(request, body: body)

        let seen = try #require(server.requests.first)
        #expect(seen.requestLine == "POST /a%2Fb/c//d?x=%2f&y=a+b HTTP/1.1")
        #expect(seen.body == body)
        #expect(seen.values(of: "Host") == [server.authority])
        #expect(seen.values(of: "Authorization") == ["Bearer t"])
        #expect(seen.values(of: "Content-Type") == ["application/octet-stream"])
        #expect(seen.values(of: "Content-Length") == ["256"])
        #expect(seen.values(of: "Cookie") == [])
    }

    @Test func `returns the fields and the body as they came`() async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil {
                connection.reply(fields: ["X-Own: x"], body: "{\"ok\":\u{20AC}}")
            }
        }
        let (response, body) = try await transport.send(.get(server), body: Data())
        #expect(response.headerFields[.custom("X-Own")] == "x")
        #expect(body == Data("{\"ok\":\u{20AC}}".utf8))
    }

    @Test func `keeps no cookie`() async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil {
                connection.reply(fields: ["Set-Cookie: a=1; Path=/"])
            }
        }
        _ = try await transport.send(.get(server), body: Data())
        _ = try await transport.send(.get(server), body: Data())
        #expect(server.requests.map { $0.values(of: "Cookie") } == [[], []])
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `returns a redirect and doesn't follow it`(status: Int) async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil {
                connection.reply(status, fields: ["Location: /elsewhere"])
            }
        }
        let (response, _) = try await transport.send(.post(server), body: Data("x".utf8))
        #expect(response.status.code == status)
        #expect(response.headerFields[.location] == "/elsewhere")
        #expect(server.requests.count == 1)
    }

    @Test func `runs ten exchanges at a time`() async throws {
        let server = try LoopbackServer { connection in
            while let request = connection.readRequest() {
                connection.reply(body: String(decoding: request.body, as: UTF8.self))
            }
        }
        let echoes = try await withThrowingTaskGroup(of: (Int, Data).self) { group in
            for number in 1...10 {
                group.addTask {
                    let body = Data("number \(number)".utf8)
                    return (number, try await transport.send(.post(server), body: body).body)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(echoes.count == 10)
        #expect(echoes.allSatisfy { $1 == Data("number \($0)".utf8) })
    }

    @Test func `calls nobody listening unreachable, with URLSession's reason`() async throws {
        let port = try LoopbackServer.deafPort()
        let error = try await failure { () async throws(PushError) in
            try await transport.send(
                HTTPRequest(
                    method: .post, scheme: "http", authority: "127.0.0.1:\(port)", path: "/?s3cret"),
                body: Data("x".utf8))
        }
        #expect(error.code == .unreachable)
        let cause = try #require(error.underlying as? URLSessionFailure)
        #expect(cause.code == URLError.Code.cannotConnectToHost.rawValue)
        #expect(!String(reflecting: error).contains("s3cret"))
    }

    @Test func `calls a name that doesn't exist unreachable`() async throws {
        let error = try await failure { () async throws(PushError) in
            try await transport.send(
                HTTPRequest(method: .get, scheme: "https", authority: "acme.invalid", path: "/"),
                body: Data())
        }
        #expect(error.code == .unreachable)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"])
    func `calls an exchange interrupted that was cut off`(reply: String) async throws {
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(reply)
        }
        let error = try await failure { () async throws(PushError) in
            try await transport.send(.post(server), body: Data("x".utf8))
        }
        #expect(error.code == .interrupted)
    }

    @Test func `waits no longer than allowed`() async throws {
        let server = try LoopbackServer { $0.awaitHangUp() }
        let impatient = try makeTransport(
            .init(plainHTTP: .loopbackOnly, timeout: .seconds(3)))
        let error = try await failure { () async throws(PushError) in
            try await impatient.send(.post(server), body: Data("x".utf8))
        }
        #expect(error.code == .interrupted)
    }

    @Test(arguments: ["Content-Length: 1001\r\n\r\n", "\r\n"])
    func `takes no more of a body than allowed`(fields: String) async throws {
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\n" + fields + String(repeating: "a", count: 1001))
        }
        let narrow = try makeTransport(.init(plainHTTP: .loopbackOnly, maximumBodySize: 1000))
        let error = try await failure { () async throws(PushError) in
            try await narrow.send(.get(server), body: Data())
        }
        #expect(error.code == .oversizedReply)
    }

    @Test func `hangs up when its task is cancelled`() async throws {
        let (arrived, left) = (Event(), Event())
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            arrived.happen()
            connection.awaitHangUp()
            left.happen()
        }
        let task = Task {
            await Result { () async throws(PushError) in
                try await transport.send(.post(server), body: Data("x".utf8)).body
            }
        }
        await arrived.wait()
        task.cancel()
        let error = try await failure { () async throws(PushError) in try await task.value.get() }
        #expect(error.code == .interrupted)
        await left.wait()
    }

    @Test func `opens no connection for a task that was cancelled before`() async throws {
        let server = try LoopbackServer { $0.awaitHangUp() }
        let started = Event()
        let task = Task {
            await started.wait()
            return await Result { () async throws(PushError) in
                try await transport.send(.post(server), body: Data("x".utf8)).body
            }
        }
        task.cancel()
        started.happen()
        let error = try await failure { () async throws(PushError) in try await task.value.get() }
        #expect(error.code == .cancelled)
        #expect(server.connectionCount == 0)
    }
}

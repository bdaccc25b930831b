// The servers that it runs need all of Foundation as well.
import Foundation
import HTTPTypes
import PushCore

/// Checks how a transport fails: with which code, and that nothing goes out twice or too late.
struct TransportFailures: Sendable {
    let transport: any Transport
    let maximumBodySize: Int?

    func refusedRequests(_ findings: inout Findings) async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil { connection.reply() }
        }
        let host = server.authority
        for (scheme, authority, path) in [
            ("ftp", host, "/"), ("http", "", "/"), ("http", host, "@evil.test/"),
            ("http", host, "/a b"), ("http", host, "/a#b"), ("http", "user@\(host)", "/"),
        ] {
            let request = HTTPRequest(
                method: .get, scheme: scheme, authority: authority, path: path)
            await findings.expect(
                .insecureRequest, "\(scheme)://\(authority)\(path) isn't refused",
                of: transport, request, "")
        }
        for (name, value) in [("Host", "evil.test"), ("Content-Length", "3"), ("TE", "trailers")] {
            var request = HTTPRequest.post(server)
            request.headerFields[.custom(name)] = value
            await findings.expect(
                .insecureRequest, "\(name), which is the transport's own, isn't refused",
                of: transport, request, "four")
        }
        findings.expect(server.requests.isEmpty, "a refused request was sent")
    }

    func nobodyThere(_ findings: inout Findings) async throws {
        let deaf = HTTPRequest(
            method: .post, scheme: "http",
            authority: "127.0.0.1:\(try LoopbackServer.deafPort())", path: "/?s3cret")
        let error = await findings.expect(
            .unreachable, "a server that doesn't listen isn't unreachable", of: transport, deaf)
        findings.expect(
            error.map { !String(reflecting: $0).contains("s3cret") } ?? true,
            "an error shows the path of its request")
        let unknown = HTTPRequest(
            method: .get, scheme: "https", authority: "acme.invalid", path: "/")
        await findings.expect(
            .unreachable, "a name that doesn't exist isn't unreachable", of: transport, unknown, "")
    }

    func brokenReply(_ findings: inout Findings) async throws {
        for reply in ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"] {
            let server = try LoopbackServer { connection in
                guard connection.readRequest() != nil else { return }
                connection.write(reply)
            }
            await findings.expect(
                .interrupted, "a reply that was cut off isn't interrupted", of: transport,
                .post(server))
            findings.expect(
                server.requests.count == 1, "a request whose reply was cut off is sent twice")
        }
    }

    func largeReply(_ findings: inout Findings) async throws {
        guard let maximumBodySize else { return }
        let large = String(repeating: "a", count: maximumBodySize + 1)
        for fields in [
            "Content-Length: \(large.utf8.count)\r\n\r\n", "\r\n",
            "Transfer-Encoding: chunked\r\n\r\n\(String(large.utf8.count, radix: 16))\r\n",
        ] {
            let server = try LoopbackServer { connection in
                guard connection.readRequest() != nil else { return }
                connection.write("HTTP/1.1 200 OK\r\n" + fields + large)
            }
            await findings.expect(
                .oversizedReply, "too large a body isn't refused", of: transport, .get(server), "")
        }
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.reply(body: String(large.dropLast()))
        }
        let body = try await transport.send(.get(server), body: Data()).body
        findings.expect(body.count == maximumBodySize, "a body of just the limit isn't returned")
    }

    func cancellation(_ findings: inout Findings) async throws {
        let (arrived, left) = (Signal(), Signal())
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            arrived.happen()
            connection.awaitHangUp()
            left.happen()
        }
        let exchange = Task { [transport] in
            defer { arrived.happen() }
            return await Self.result(of: transport, .post(server))
        }
        await arrived.wait()
        exchange.cancel()
        guard server.connectionCount > 0 else {
            return findings.note("the request doesn't arrive")
        }
        guard await left.happens(within: .seconds(20)) else {
            return findings.note("the connection of a cancelled task stays open")
        }
        findings.expect(
            await exchange.value == .interrupted, "a request that was sent isn't interrupted")
    }

    func cancellationBefore(_ findings: inout Findings) async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil { connection.reply() }
        }
        let started = Signal()
        let exchange = Task { [transport] in
            await started.wait()
            return await Self.result(of: transport, .post(server))
        }
        exchange.cancel()
        started.happen()
        findings.expect(await exchange.value == .cancelled, "a cancelled task sends a request")
        findings.expect(server.connectionCount == 0, "a cancelled task opens a connection")
    }

    /// The code of an exchange's error; `nil` if there was none.
    private static func result(
        of transport: any Transport, _ request: HTTPRequest
    ) async -> PushError.Code? {
        do throws(PushError) {
            _ = try await transport.send(request, body: Data("x".utf8))
            return nil
        } catch {
            return error.code
        }
    }
}

extension Findings {
    /// Expects an exchange to fail with a code.
    ///
    /// - Returns: Its error; `nil` if there was none.
    @discardableResult
    fileprivate mutating func expect(
        _ code: PushError.Code, _ finding: String, of transport: any Transport,
        _ request: HTTPRequest, _ body: String = "x"
    ) async -> PushError? {
        do throws(PushError) {
            _ = try await transport.send(request, body: Data(body.utf8))
            note(finding)
            return nil
        } catch {
            expect(error.code == code, "\(finding), but throws \(error.code)")
            return error
        }
    }
}

// The servers that it runs need all of Foundation as well.
import Foundation
import HTTPTypes
public import PushCore

/// Checks that a transport keeps the promises of `Transport`, against servers on this machine.
///
/// Run it against every transport; none of its sentences may come back:
///
/// ```swift
/// let violations = await TransportConformance(transport).check()
/// #expect(violations == [])
/// ```
///
/// Certificates and pins it can't check: those are a system's own.
public struct TransportConformance: Sendable {
    private let transport: any Transport
    private let maximumBodySize: Int?

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - transport: The transport. It may send plain HTTP to this machine, and waits for a reply
    ///     for half a minute or more.
    ///   - maximumBodySize: The largest body of a reply that it takes, in bytes, at most a million;
    ///     `nil` if that isn't to be checked.
    public init(_ transport: any Transport, maximumBodySize: Int? = nil) {
        self.transport = transport
        self.maximumBodySize = maximumBodySize
    }

    /// Runs every check.
    ///
    /// - Returns: What the transport breaks, as sentences; empty if it conforms.
    public func check() async -> [String] {
        let failures = TransportFailures(transport: transport, maximumBodySize: maximumBodySize)
        var violations: [String] = []
        violations += await run("statuses", statuses)
        violations += await run("a request", request)
        violations += await run("a reply", reply)
        violations += await run("cookies", cookies)
        violations += await run("redirects", redirects)
        violations += await run("many at a time", manyAtATime)
        violations += await run("refused requests", failures.refusedRequests)
        violations += await run("nobody there", failures.nobodyThere)
        violations += await run("a broken reply", failures.brokenReply)
        violations += await run("a large reply", failures.largeReply)
        violations += await run("cancellation", failures.cancellation)
        violations += await run("cancellation before", failures.cancellationBefore)
        return violations
    }

    private typealias Body = (inout Findings) async throws -> Void

    private func run(_ topic: String, _ body: Body) async -> [String] {
        var findings = Findings(topic)
        do {
            try await body(&findings)
        } catch {
            findings.note("an unexpected error: \(error)")
        }
        return findings.sentences
    }

    private func statuses(_ findings: inout Findings) async throws {
        for status in [200, 201, 204, 400, 401, 404, 409, 429, 500, 503] {
            let server = try LoopbackServer { connection in
                while connection.readRequest() != nil { connection.reply(status) }
            }
            let (response, body) = try await transport.send(.get(server), body: Data())
            findings.expect(response.status.code == status, "\(status) isn't returned as it came")
            findings.expect(body.isEmpty, "the reply with \(status) got a body")
        }
    }

    private func request(_ findings: inout Findings) async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil { connection.reply() }
        }
        var request = HTTPRequest.post(server, path: "/a%2Fb/c//d?x=%2f&y=a+b")
        request.headerFields[.authorization] = "Bearer t"
        request.headerFields[.contentType] = "application/octet-stream"
        let body = Data((0...255).map { UInt8($0) })
        _ = try await transport.send(request, body: body)
        guard let seen = server.requests.first else { return findings.note("none arrived") }
        findings.expect(
            seen.requestLine == "POST /a%2Fb/c//d?x=%2f&y=a+b HTTP/1.1",
            "method, path and query don't arrive as given")
        findings.expect(seen.body == body, "the body doesn't arrive as given")
        for (name, value) in [
            ("Host", server.authority), ("Authorization", "Bearer t"),
            ("Content-Type", "application/octet-stream"), ("Content-Length", "256"),
        ] {
            findings.expect(seen.values(of: name) == [value], "\(name) doesn't arrive as given")
        }
    }

    private func reply(_ findings: inout Findings) async throws {
        let text = "{\"ok\":\u{20AC}}"
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil {
                connection.reply(fields: ["X-Own: x"], body: text)
            }
        }
        let (response, body) = try await transport.send(.get(server), body: Data())
        findings.expect(response.headerFields[.custom("X-Own")] == "x", "a field is missing")
        findings.expect(body == Data(text.utf8), "the body isn't as it came")
    }

    private func cookies(_ findings: inout Findings) async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil {
                connection.reply(fields: ["Set-Cookie: a=1; Path=/"])
            }
        }
        for _ in 1...2 { _ = try await transport.send(.get(server), body: Data()) }
        findings.expect(
            server.requests.allSatisfy { $0.values(of: "Cookie") == [] },
            "a server's cookie is sent back to it")
    }

    private func redirects(_ findings: inout Findings) async throws {
        for status in [301, 302, 303, 307, 308] {
            let server = try LoopbackServer { connection in
                while let request = connection.readRequest() {
                    guard request.requestLine.contains(" / ") else { return connection.reply() }
                    connection.reply(status, fields: ["Location: /elsewhere"])
                }
            }
            let (response, _) = try await transport.send(.post(server), body: Data("x".utf8))
            findings.expect(
                response.status.code == status && server.requests.count == 1,
                "a redirect with \(status) is followed")
            findings.expect(
                response.headerFields[.location] == "/elsewhere",
                "the reply with \(status) has lost its location")
        }
    }

    private func manyAtATime(_ findings: inout Findings) async throws {
        let server = try LoopbackServer { connection in
            while let request = connection.readRequest() {
                connection.reply(body: String(decoding: request.body, as: UTF8.self))
            }
        }
        let echoes = try await withThrowingTaskGroup(of: (Data, Data).self) { group in
            for number in 1...50 {
                group.addTask { [transport] in
                    let body = Data("number \(number)".utf8)
                    return (body, try await transport.send(.post(server), body: body).body)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        findings.expect(
            echoes.count == 50 && echoes.allSatisfy { $0 == $1 },
            "one exchange gets the reply to another")
    }
}

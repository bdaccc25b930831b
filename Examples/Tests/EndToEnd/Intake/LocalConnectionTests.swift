import Foundation
import HTTPTypes
import LocalServer
import Testing

/// What ``LocalServer`` knows of a connection.
struct LocalConnectionTests {
    /// Says when nothing holds it any more.
    private final class Guest: Sendable {
        private let gone: Event

        init(_ gone: Event) {
            self.gone = gone
        }

        deinit {
            gone.happen()
        }
    }

    private actor Counter {
        private(set) var count = 0

        func add() -> Int {
            count += 1
            return count
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `each connection has a handler of its own, which goes with it`() async throws {
        let counter = Counter()
        let gone = [Event(), Event()]
        let server = try await LocalServer.start(.plain, with: LocalServer.Settings()) { peer in
            #expect(peer.certificate == nil)
            let number = await counter.add()
            let guest = Guest(gone[number - 1])
            return { _, _ in
                withExtendedLifetime(guest) {
                    (HTTPResponse(status: .ok), Data("\(number) ".utf8))
                }
            }
        }
        for expected in ["1 1 ", "2 2 "] {
            let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
                ["curl", "--silent", "--show-error", server.origin, server.origin])
            #expect(result.output == expected)
        }
        for gone in gone { await gone.wait() }
        await server.stop()
    }

    /// What a server answers to bytes that a shell sends it, to its end.
    private func answer(of server: LocalServer, to request: String, lines: Int) async throws
        -> String
    {
        let script = """
            exec 3<>/dev/tcp/127.0.0.1/\(server.port)
            printf '\(request)' >&3
            head -\(lines) <&3
            """
        return try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
            ["bash", "-c", script]
        ).output
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\\r\\nAccept: text/plain", "HTTP/1.1 400"),
        ("OPTIONS / HTTP/1.0", "HTTP/1.1 200"), ("HEAD / HTTP/1.0", "HTTP/1.1 200"),
        ("GET / HTTP/1.0\\r\\nExpect: 100-continue", "HTTP/1.1 200"),
    ])
    func `HTTP/1.1 names a host, and HTTP/1.0 needs none`(
        head: String, expected: String
    ) async throws {
        let server = try await LocalServer.start { _, _ in (HTTPResponse(status: .ok), Data()) }
        let answer = try await answer(of: server, to: head + "\\r\\n\\r\\n", lines: 1)
        #expect(answer.hasPrefix(expected))
        await server.stop()
    }

    @Test(.timeLimit(.minutes(10)))
    func `a client that waits with its body is told to send it`() async throws {
        let server = try await LocalServer.start { _, body in (HTTPResponse(status: .ok), body) }
        // It would wait for an hour.
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run([
            "curl", "--silent", "--show-error", "--expect100-timeout", "3600", "--header",
            "Expect: 100-continue", "--data", "body", server.origin,
        ])
        #expect(result.output == "body")
        await server.stop()
    }

    @Test func `nothing is told to the next client in line before the reply to the first`()
        async throws
    {
        let server = try await LocalServer.start { request, body in
            // The second head is there long before.
            if request.method == .get { try? await Task.sleep(for: .milliseconds(300)) }
            return (HTTPResponse(status: .accepted), Data())
        }
        let head = "Host: a\\r\\nContent-Length: "
        let answer = try await answer(
            of: server,
            to: "GET / HTTP/1.1\\r\\n\(head)0\\r\\n\\r\\nPOST / HTTP/1.1\\r\\nExpect: 100-continue"
                + "\\r\\n\(head)1\\r\\n\\r\\n", lines: 5)
        let statuses = answer.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/1.1") }
        #expect(statuses == ["HTTP/1.1 202 Accepted", "HTTP/1.1 100 Continue"])
        await server.stop()
    }

    @Test(arguments: [("-tls1", false), ("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)])
    func `TLS below 1.2 is refused`(version: String, isTaken: Bool) async throws {
        let server = try await LocalServer.start(.modern(.selfSigned())) { _, _ in nil }
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run([
            "openssl", "s_client", "-connect", server.authority, version, "-cipher",
            "DEFAULT:@SECLEVEL=0",
        ])
        #expect(result.output.contains("Cipher is (NONE)") != isTaken, "\(result.output)")
        await server.stop()
    }

    @Test(arguments: [
        ("Host: a.example", "HTTP/1.1 200"),
        ("Host: a.example\\r\\nHost: b.example", "HTTP/1.1 400"),
        ("Host: a.example\\r\\nContent-Encoding: gzip", "HTTP/1.1 415"),
        ("Host: a.example\\r\\nContent-Encoding: identity", "HTTP/1.1 200"),
    ])
    func `a request with two hosts, and a packed one, are refused`(
        fields: String, expected: String
    ) async throws {
        let server = try await LocalServer.start { _, _ in (HTTPResponse(status: .ok), Data()) }
        let request = "POST / HTTP/1.1\\r\\n\(fields)\\r\\nContent-Length: 1\\r\\n\\r\\nx"
        #expect(try await answer(of: server, to: request, lines: 1).hasPrefix(expected))
        await server.stop()
    }
}

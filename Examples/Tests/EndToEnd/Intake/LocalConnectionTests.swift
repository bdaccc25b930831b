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

    @Test(.timeLimit(.minutes(1)))
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
        let script = """
            exec 3<>/dev/tcp/127.0.0.1/\(server.port)
            printf '\(request)' >&3
            head -1 <&3
            """
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
            ["bash", "-c", script])
        #expect(result.output.hasPrefix(expected))
        await server.stop()
    }
}

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
}

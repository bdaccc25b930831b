import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// A wish to be left alone that may be anybody's: Acme documents 429, and no page of HTML.
struct StrangerPauseTests {
    private let harness = AuthenticatorHarness()

    private static func page(_ status: Int = 503) -> HTTPResponse {
        var page = HTTPResponse.busy(status, retryAfter: "86400")
        page.headerFields[.contentType] = "text/html; charset=utf-8"
        return page
    }

    /// An authenticator whose denial of challenge 1 has met a maintenance page.
    private func refused(by reply: HTTPResponse = page()) async throws -> Life {
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        _ = try await life.authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.reply(reply), where: { $0.path == "/answer" })
        guard case .unknown = try await life.authenticator.deny(.ada("1")) else {
            throw PushError(.invalidArgument, "The page was taken for the vendor's word.")
        }
        return life
    }

    private var taken: [String: String] {
        get async { await harness.server.taken }
    }

    @Test(arguments: [429, 500, 502, 503, 504])
    func `what the user says again goes out at once`(status: Int) async throws {
        let life = try await refused(by: Self.page(status))
        _ = try await life.authenticator.resume()
        #expect(await taken.isEmpty)
        #expect(try await life.authenticator.deny(.ada("1")) == .delivered)
        #expect(await taken == ["1": "deny:unexpected"])
    }

    @Test func `the background waits for minutes, not for a day`() async throws {
        let life = try await refused()
        try await eventually("It sleeps.") { life.clock.sleepers == 1 }
        life.clock.advance(by: .seconds(298))
        try await eventually("It still sleeps.") { life.clock.sleepers == 1 }
        #expect(await taken.isEmpty)
        life.clock.advance(by: .seconds(3))
        try await eventually("It arrives.") { await taken == ["1": "deny:unexpected"] }
    }

    @Test func `the server's next success ends it`() async throws {
        let life = try await refused()
        _ = try await life.authenticator.pending(for: .ada)
        #expect(try await life.authenticator.resume() == [.ada("1"): .delivered])
    }

    @Test func `a success ends no pause that the vendor documents`() async throws {
        let life = try await refused(by: .busy(retryAfter: "600"))
        _ = try await life.authenticator.pending(for: .ada)
        _ = try await life.authenticator.resume()
        #expect(await taken.isEmpty)
    }

    @Test func `an app that comes to the front asks what waits`() async throws {
        let life = try await refused()
        #expect(try await life.authenticator.pending().failures.isEmpty)
    }

    @Test func `it isn't kept over a restart, and no other process hears of it`() async throws {
        let first = try await refused()
        await first.kill()
        let second = try harness.life(clock: first.clock).authenticator
        #expect(try await second.resume() == [.ada("1"): .delivered])

        let shared = AuthenticatorHarness(store: InMemoryStore(isShared: true))
        let (told, other) = (try shared.machine("told"), try shared.machine("other"))
        _ = try await told.authenticator.join("ada")
        _ = try await told.authenticator.receive(try AcmeWire.ask("1"))
        await shared.faults.next(.reply(Self.page()), where: { $0.path == "/answer" })
        _ = try await told.authenticator.deny(.ada("1"))
        #expect(try await other.authenticator.resume() == [.ada("1"): .delivered])
    }

    @Test func `the loop that asks for lists waits for it as well`() async throws {
        let life = try harness.life { $0.polling.idle = .seconds(5) }
        _ = try await life.authenticator.join("ada")
        await harness.faults.next(.reply(Self.page()), where: { $0.path == "/pending" })
        let failed = Locked<[PushError.Code]>([])
        let loop = Task {
            await life.authenticator.poll(where: { $0 == .ada }) { _, error in
                failed.withLock { $0.append(error.code) }
            }
        }
        try await eventually("It asks, and hears so.") {
            failed.withLock { $0 } == [.server(status: 503)]
        }
        for _ in 1...10 {
            try await eventually("It sleeps.") { life.clock.sleepers == 1 }
            life.clock.advance(by: .seconds(29))
        }
        try await eventually("It sleeps.") { life.clock.sleepers == 1 }
        #expect(await harness.server.requests["/pending"] ?? 0 == 0)
        life.clock.advance(by: .seconds(15))
        try await eventually("It asks again.") {
            await harness.server.requests["/pending"] ?? 0 == 1
        }
        loop.cancel()
        await loop.value
    }
}

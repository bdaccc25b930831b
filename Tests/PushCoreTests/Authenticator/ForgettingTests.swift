import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What opens a challenge, where the vendor's plugin wants it forgotten.
struct ForgettingTests {
    private let harness = AuthenticatorHarness()

    private func authenticator(_ capabilities: Capabilities) async throws -> PushAuthenticator {
        let authenticator = try PushAuthenticator(
            PluginRegistry([harness.acme("acme", .init(capabilities: capabilities))]),
            in: harness.environment)
        _ = try await authenticator.join("ada")
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        return authenticator
    }

    private func kept(by authenticator: PushAuthenticator) async throws -> Int {
        try await authenticator.announcement(of: .ada("1")).context.count
    }

    @Test func `an answer that was taken ends it`() async throws {
        let authenticator = try await authenticator([.singleUseContext])
        #expect(try await kept(by: authenticator) > 0)
        _ = try await authenticator.deny(.ada("1"))
        #expect(try await kept(by: authenticator) == 0)
        #expect(try await authenticator.record(of: .ada("1"))?.notice.id == .ada("1"))
    }

    @Test func `an answer that was taken makes the challenge one that is over`() async throws {
        let authenticator = try await authenticator([.singleUseContext])
        let opened = try await authenticator.challenge(.ada("1"))
        #expect(try await authenticator.resolve(opened, with: .approve) == .delivered)
        #expect(await code { try await authenticator.challenge(.ada("1")) } == .over)
        // What was opened before still tells what came of it.
        #expect(try await authenticator.resolve(opened, with: .approve) == .delivered)
        #expect(
            await code { try await authenticator.resolve(opened, with: .deny(.fraud)) }
                == .decidedOtherwise(.approve))
    }

    @Test func `so does a withdrawal`() async throws {
        let authenticator = try await authenticator([.singleUseContext])
        _ = try await authenticator.receive(try AcmeWire.cancel("1"))
        #expect(try await kept(by: authenticator) == 0)
    }

    @Test func `an answer whose fate is unknown needs it`() async throws {
        let authenticator = try await authenticator([.singleUseContext])
        await harness.faults.next(.dropAfter, .dropAfter) { $0.path == "/answer" }
        _ = try await authenticator.deny(.ada("1"))
        #expect(try await kept(by: authenticator) > 0)
    }

    @Test func `elsewhere it stays`() async throws {
        let authenticator = try await authenticator([])
        _ = try await authenticator.deny(.ada("1"))
        #expect(try await kept(by: authenticator) > 0)
        #expect(try await authenticator.challenge(.ada("1")).prompt == .approve)
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// One vendor holds its replies, as many as may be asked of it at once; another is as well as ever.
@Suite(.timeLimit(.minutes(2))) struct SickVendorTests {
    private let harness = AuthenticatorHarness()
    private let gate = Gate()
    private let isSick = Locked(false)

    /// Holds what goes to the one vendor.
    private struct HeldTransport: Transport {
        let base: any Transport
        let gate: Gate
        let isSick: Locked<Bool>

        func send(
            _ request: HTTPRequest, body: Data
        ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
            if isSick.withLock({ $0 }), request.authority == "acme.example" { await gate.pass() }
            return try await base.send(request, body: body)
        }
    }

    /// An authenticator with three accounts at each, which asks two of one vendor at once.
    private func enrolled() async throws -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: HeldTransport(base: harness.transport, gate: gate, isSick: isSick),
            store: harness.store, verifier: harness.verifier, clock: harness.clock,
            random: SeededRandom(seed: 5), device: Device(name: "test"))
        var configuration = AuthenticatorHarness.quiet
        configuration.concurrency = 2
        let registry = try PluginRegistry([
            Acme("acme", in: environment), Acme("acme/b", in: environment),
        ])
        let authenticator = PushAuthenticator(
            registry, in: environment, configuration: configuration)
        for account in ["ada", "bob", "cid"] {
            for offer in try authenticator.offers(for: .scanned(text: "acme:\(account)")) {
                _ = try await authenticator.enroll(offer)
            }
        }
        return authenticator
    }

    /// Waits until all of the well vendor was asked, and no more of the sick one than may be.
    private func othersAreAsked(_ path: String) async throws {
        await gate.arrival(2)
        try await eventually("The other vendor is asked for all three.") {
            await harness.server.requests[path] == 3
        }
        #expect(await gate.arrived == 2)
    }

    @Test func `the other's lists are asked for`() async throws {
        let authenticator = try await enrolled()
        isSick.withLock { $0 = true }
        let asking = Task { try await authenticator.pending() }
        try await othersAreAsked("/pending")
        await gate.open()
        #expect(try await asking.value.failures.isEmpty)
        #expect(await harness.server.requests["/pending"] == 6)
    }

    @Test func `the loop asks for the other's lists`() async throws {
        let authenticator = try await enrolled()
        isSick.withLock { $0 = true }
        let loop = Task { await authenticator.poll() }
        try await othersAreAsked("/pending")
        await gate.open()
        try await eventually("The third of the sick one has its turn.") {
            harness.clock.advance(by: .seconds(1))
            return await gate.arrived >= 3
        }
        loop.cancel()
        await loop.value
    }

    @Test func `the other's decisions are sent again`() async throws {
        let authenticator = try await enrolled()
        for account in ["ada", "bob", "cid"] {
            await harness.server.offer(AcmeWire.claims(account), to: account)
        }
        let waiting = try await authenticator.pending().found.compactMap(\.challenge)
        try #require(waiting.count == 6)
        for id in waiting {
            await harness.faults.next(.refuse, where: { $0.path == "/answer" })
            _ = try await authenticator.deny(id)
        }
        #expect(await harness.server.requests["/answer"] == nil)
        isSick.withLock { $0 = true }
        let resuming = Task { try await authenticator.resume() }
        try await othersAreAsked("/answer")
        await gate.open()
        _ = try await resuming.value
        #expect(await gate.arrived >= 3)
    }
}

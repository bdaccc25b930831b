import Foundation
import PushCore
import PushTesting

/// A device with many accounts at one vendor.
final class Fleet {
    private(set) var simulator: any VendorSimulator
    let store: FleetStore
    let environment: PushEnvironment
    let authenticator: PushAuthenticator
    private let server: FleetServer
    private let vendor: FleetVendor
    private let makeProvider: FleetVendor.Provider
    private(set) var count = 0

    init(_ vendor: FleetVendor, in base: URL) async throws {
        self.vendor = vendor
        (simulator, makeProvider) = try await vendor.make()
        store = try await FleetStore(in: base)
        server = FleetServer(simulator)
        environment = PushEnvironment(
            transport: server, store: store, verifier: Willing(),
            device: Device(name: "Example", platform: .android))
        authenticator = PushAuthenticator(
            try PluginRegistry([try makeProvider(environment)]), in: environment)
        try await authenticator.deviceTokenChanged(.fcm("token"))
    }

    /// Another process over the same store.
    func restarted() throws -> PushAuthenticator {
        PushAuthenticator(
            try PluginRegistry([try makeProvider(environment)]), in: environment)
    }

    /// What one enrollment took.
    struct Cost {
        var client: Double
        var simulator: Double
        var counts: FleetStore.Counts
    }

    /// Enrolls one more account.
    func enroll() async throws -> Cost {
        count += 1
        if let next = vendor.next {
            simulator = try await next(count)
            await server.become(simulator)
        }
        let invitation = try await simulator.invitation(for: "user\(count)")
        let before = (await store.counts, await server.elapsed)
        let start = ContinuousClock.now
        guard let offer = try authenticator.offers(for: invitation).first else {
            throw PushError(.notFound, "The invitation is nobody's.")
        }
        _ = try await authenticator.enroll(offer)
        let elapsed = ContinuousClock.now - start
        let after = (await store.counts, await server.elapsed)
        let simulated = after.1 - before.1
        return Cost(
            client: (elapsed - simulated).milliseconds, simulator: simulated.milliseconds,
            counts: FleetStore.Counts(
                reads: after.0.reads - before.0.reads, writes: after.0.writes - before.0.writes,
                listings: after.0.listings - before.0.listings))
    }
}

/// A user who brings what is asked, and remembers nothing.
private struct Willing: UserVerifier {
    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        try await ScriptedVerifier.willing().verify(request)
    }
}

extension Duration {
    var milliseconds: Double { self / .milliseconds(1) }
}

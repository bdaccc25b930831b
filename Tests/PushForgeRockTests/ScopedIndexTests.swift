import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushPlatform
import PushSealing
import PushTesting
import Testing

/// Devices in scopes of one store, and what one process learns of all of them.
@Suite struct ScopedIndexTests {
    private let simulator = ForgeRockSimulator()
    private let base = InMemoryStore([.atomic, .shared, .ordered])
    private let key = KeySource { () async throws(PushError) in
        Secret(Array(repeating: 7, count: 32))
    }

    private func device(
        _ scope: String, over store: any CredentialStore, isConnected: Bool = true
    ) throws -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: SimulatedTransport(
                faults: FaultPlan(),
                server: { [simulator] request, body in
                    guard isConnected else {
                        return (HTTPResponse(status: .serviceUnavailable), Data())
                    }
                    return await simulator.respond(to: request, body: body)
                }),
            store: ScopedStore(store, scope: scope), verifier: ScriptedVerifier.willing(),
            clock: SystemClock(), device: Device(name: scope))
        var configuration = PushConfiguration()
        configuration.lease = .zero
        return PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment,
            configuration: configuration)
    }

    private func push(to user: String) async throws -> PushMessage {
        _ = try await simulator.startLogin(of: user, asking: .confirm)
        return try #require(try await simulator.takePushes().map { try $0.message() }.last)
    }

    @Test func `what isn't finished on any device is found by its scope, until it is`()
        async throws
    {
        let store = try await SealedStore(base, key: key, tenant: "acme")
        let scopes = (1...12).map { "d/\($0)" }
        for scope in scopes {
            let device = try device(scope, over: store)
            try await device.deviceTokenChanged(.fcm("token-\(scope)"))
            let invitation = try await simulator.invitation(for: scope)
            _ = try await device.enroll(try #require(try device.offers(for: invitation).first))
        }
        #expect(try await ScopedStore.unfinished(in: store).isEmpty)

        let (waiting, cutOff) = ("d/1", "d/10")
        let message = try await push(to: waiting)
        let arrived = try await device(waiting, over: store).receive(message)
        let cut = try device(cutOff, over: store, isConnected: false)
        let received = try await cut.receive(try await push(to: cutOff))
        let id = try #require(received.first?.challenge)
        let outcome = try await cut.resolve(try await cut.challenge(id), with: .approve)
        #expect(outcome != .delivered)

        let found = try await ScopedStore.unfinished(in: store)
        #expect(Set(found.map(\.scope)) == [waiting, cutOff])
        let open = try #require(found.first { $0.scope == waiting })
        #expect(open.matter == .open)
        if case .notice(let notice, _) = arrived.first?.kind {
            let expiry = try #require(notice.expiry)
            #expect(open.expiry.map { abs($0.timeIntervalSince(expiry)) < 1 } == true)
        } else {
            Issue.record("The push came to \(arrived).")
        }
        #expect(found.filter { $0.scope == cutOff }.map(\.matter) == [.decided])
        #expect(Set(found.map(\.name)).count == 2)

        _ = try await device(cutOff, over: store).resume()
        #expect(try await ScopedStore.unfinished(in: store).map(\.scope) == [waiting])
        let other = try device("d/2", over: store)
        _ = try await other.resume()
        #expect(try await ScopedStore.unfinished(in: store) == [open])
        let first = try device(waiting, over: store)
        let challenge = try #require(try await first.unfinishedRecords().first?.id)
        _ = try await first.deny(challenge)
        #expect(try await ScopedStore.unfinished(in: store).isEmpty)
    }

    @Test func `an entry that is damaged hides no other`() async throws {
        let store = try await SealedStore(base, key: key, tenant: "acme")
        for scope in ["d/1", "d/2"] {
            let device = try device(scope, over: store)
            try await device.deviceTokenChanged(.fcm("token-\(scope)"))
            let invitation = try await simulator.invitation(for: scope)
            _ = try await device.enroll(try #require(try device.offers(for: invitation).first))
            _ = try await device.receive(try await push(to: scope))
        }
        let found = try await ScopedStore.unfinished(in: store)
        #expect(Set(found.map(\.scope)) == ["d/1", "d/2"])
        let spoilt = RecordKey("unfinished", found[0].name)
        let own = ScopedStore(store, scope: found[0].scope)
        try await own.write(Secret([1]), for: spoilt, replacing: found[0].revision)
        #expect(try await ScopedStore.unfinished(in: store) == [found[1]])
    }
}

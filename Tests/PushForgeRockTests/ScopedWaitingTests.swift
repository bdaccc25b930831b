import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushPlatform
import PushSealing
import PushTesting
import Testing

/// Devices in scopes of one store, and what one process learns of all of them.
@Suite struct ScopedWaitingTests {
    private let simulator = ForgeRockSimulator()
    private let base = InMemoryStore(isShared: true)
    private let key = KeySource { () async throws(PushError) in
        Secret(Array(repeating: 7, count: 32))
    }

    private func store(isSealed: Bool) async throws -> any CredentialStore {
        isSealed ? try await SealedStore(base, key: key, tenant: "acme") : base
    }

    private func phone(
        over store: any CredentialStore, isConnected: Bool = true
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
            store: store, verifier: ScriptedVerifier.willing(), clock: SystemClock(),
            device: Device(name: "device"))
        var configuration = PushConfiguration()
        configuration.lease = .zero
        // Nothing is tried in the background.
        configuration.backoff.tries = 0
        return PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment,
            configuration: configuration)
    }

    private func device(
        _ scope: String, over store: any CredentialStore, isConnected: Bool = true
    ) throws -> PushAuthenticator {
        try phone(over: ScopedStore(store, scope: scope), isConnected: isConnected)
    }

    @discardableResult
    private func enroll(_ user: String, at phone: PushAuthenticator) async throws -> Enrollment.ID {
        try await phone.deviceTokenChanged(.fcm("token-\(user)"))
        let invitation = try await simulator.invitation(for: user)
        return try await phone.enroll(try #require(try phone.offers(for: invitation).first)).id
    }

    /// Has a challenge of a user announced.
    private func announce(to user: String, at phone: PushAuthenticator) async throws -> Notice {
        _ = try await simulator.startLogin(of: user, asking: .confirm)
        let message = try #require(try await simulator.takePushes().map { try $0.message() }.last)
        guard case .notice(let notice, _)? = try await phone.receive(message).first?.kind else {
            throw PushError(.notFound, "The push announces nothing.")
        }
        return notice
    }

    @Test(arguments: [false, true])
    func `what waits on any device is found with its scope, until the vendor's last word`(
        isSealed: Bool
    ) async throws {
        let store = try await store(isSealed: isSealed)
        let scopes = (1...12).map { "d/\($0)" }
        for scope in scopes { try await enroll(scope, at: device(scope, over: store)) }
        #expect(try await ScopedStore.waiting(in: store).isEmpty)

        let (waiting, cutOff) = ("d/1", "d/10")
        let notice = try await announce(to: waiting, at: device(waiting, over: store))
        let second = try await announce(to: waiting, at: device(waiting, over: store))
        let cut = try device(cutOff, over: store, isConnected: false)
        let decided = try await announce(to: cutOff, at: cut).id
        #expect(
            try await ScopedStore.waiting(in: store).first { $0.scope == cutOff }?.isDecided
                == false)
        let outcome = try await cut.resolve(try await cut.challenge(decided), with: .approve)
        #expect(outcome != .delivered)

        let found = try await ScopedStore.waiting(in: store)
        #expect(found.count == 3)
        #expect(Set(found.map(\.challenge)) == [notice.id, second.id, decided])
        for one in found {
            #expect(one.scope == (one.challenge == decided ? cutOff : waiting))
            #expect(one.isDecided == (one.challenge == decided))
        }
        let open = try #require(found.first { $0.challenge == notice.id })
        let expiry = try #require(notice.expiry)
        #expect(open.expiry.map { abs($0.timeIntervalSince(expiry)) < 1 } == true)

        // What others do changes nothing of it.
        _ = try await device("d/2", over: store).resume()
        #expect(try await Set(ScopedStore.waiting(in: store)) == Set(found))
        _ = try await device(cutOff, over: store).resume()
        #expect(
            try await Set(ScopedStore.waiting(in: store).map(\.challenge))
                == [notice.id, second.id])
        _ = try await device(waiting, over: store).deny(second.id)
        #expect(try await ScopedStore.waiting(in: store) == [open])
        _ = try await device(waiting, over: store).deny(notice.id)
        #expect(try await ScopedStore.waiting(in: store).isEmpty)
    }

    @Test(arguments: [false, true])
    func `of a device that was removed nothing waits, and of one without a scope neither`(
        isSealed: Bool
    ) async throws {
        let store = try await store(isSealed: isSealed)
        var enrollments: [String: Enrollment.ID] = [:]
        for scope in ["d/1", "d/2"] {
            let device = try device(scope, over: store)
            enrollments[scope] = try await enroll(scope, at: device)
            _ = try await announce(to: scope, at: device)
        }
        // One that has the whole store.
        try await enroll("eve", at: phone(over: store))
        _ = try await announce(to: "eve", at: phone(over: store))
        #expect(try await Set(ScopedStore.waiting(in: store).map(\.scope)) == ["d/1", "d/2"])
        try await device("d/1", over: store).remove(try #require(enrollments["d/1"]))
        #expect(try await ScopedStore.waiting(in: store).map(\.scope) == ["d/2"])
    }

    @Test(arguments: [false, true])
    func `a record that can't be read hides no other`(isSealed: Bool) async throws {
        let store = try await store(isSealed: isSealed)
        for scope in ["d/1", "d/2"] {
            let device = try device(scope, over: store)
            try await enroll(scope, at: device)
            _ = try await announce(to: scope, at: device)
        }
        let found = try await ScopedStore.waiting(in: store)
        #expect(Set(found.map(\.scope)) == ["d/1", "d/2"])
        let own = ScopedStore(store, scope: found[0].scope)
        let spoilt = RecordKey.enrollment(found[0].challenge.enrollment)
        let revision = try #require(try await own.read(spoilt)).revision
        try await own.write(Secret([1]), for: spoilt, replacing: revision, waits: true)
        #expect(try await ScopedStore.waiting(in: store) == [found[1]])
    }

    @Test(arguments: [false, true])
    func `devices on which nothing waits cost no reading`(isSealed: Bool) async throws {
        let store = try await store(isSealed: isSealed)
        for number in 0..<40 {
            let device = try device("d/\(number)", over: store)
            try await enroll("user-\(number)", at: device)
            let id = try await announce(to: "user-\(number)", at: device).id
            if number >= 3 { _ = try await device.deny(id) }
        }
        let counting = CountingStore(store)
        #expect(try await ScopedStore.waiting(in: counting).count == 3)
        #expect(await counting.reads == 3)
        #expect(await counting.listings == 1)
    }
}

import Foundation
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// A device token for each push service: one vendor takes Apple's, another Firebase's.
struct PushServiceTests {
    private static let apple = DeviceToken.apns(hex: "0a0b", isSandbox: false)
    private static let rotated = DeviceToken.apns(hex: "0c0d", isSandbox: false)
    private static let other = Enrollment.ID("bob", of: "acme/b")

    private let harness = AuthenticatorHarness()

    /// A process with two vendors: one pushes by Apple, the other by Firebase.
    private func life(
        _ services: (first: [DeviceToken.Service], second: [DeviceToken.Service]) = (
            [.apns], [.fcm]
        )
    ) throws -> (cord: Cord, authenticator: PushAuthenticator) {
        let cord = Cord()
        let environment = PushEnvironment(
            transport: CordedTransport(cord: cord, behind: harness.transport),
            store: CordedStore(cord: cord, behind: harness.store), verifier: harness.verifier,
            clock: ManualClock(morning), random: SeededRandom(seed: 3),
            device: Device(name: "test"), observer: harness.observer)
        let registry = try PluginRegistry([
            Acme("acme", .init(services: services.first), in: environment),
            Acme("acme/b", .init(services: services.second), in: environment),
        ])
        var configuration = AuthenticatorHarness.quiet
        configuration.instance = "app"
        return (cord, PushAuthenticator(registry, in: environment, configuration: configuration))
    }

    private func enroll(_ authenticator: PushAuthenticator) async throws {
        let first = try #require(try authenticator.offers(for: .scanned(text: "acme:ada")).first)
        _ = try await authenticator.enroll(first)
        let second = try #require(try authenticator.offers(for: .scanned(text: "acme:bob")).last)
        _ = try await authenticator.enroll(second)
    }

    @Test func `each vendor gets the token of its own service, whichever changes`() async throws {
        let authenticator = try life().authenticator
        try await enroll(authenticator)
        #expect(try await authenticator.deviceTokenChanged(Self.apple).isEmpty)
        #expect(await harness.server.tokens == ["ada": "0a0b"])
        #expect(try await authenticator.deviceTokenChanged(.fcm("f1")).isEmpty)
        #expect(await harness.server.tokens == ["ada": "0a0b", "bob": "f1"])
        #expect(try await authenticator.deviceTokenChanged(Self.rotated).isEmpty)
        #expect(try await authenticator.deviceTokenChanged(.fcm("f2")).isEmpty)
        #expect(await harness.server.tokenLog == ["ada=0a0b", "bob=f1", "ada=0c0d", "bob=f2"])
        #expect(try await authenticator.deviceTokenRemoved(of: .fcm).isEmpty)
        #expect(await harness.server.tokens == ["ada": "0c0d", "bob": .null])
        #expect(
            try await authenticator.deviceTokenStates() == [.ada: .current, Self.other: .current])
    }

    @Test func `a vendor that takes both gets the one it prefers, and else the other`()
        async throws
    {
        let authenticator = try life(([.apns, .fcm], [.fcm, .apns])).authenticator
        try await enroll(authenticator)
        try await authenticator.deviceTokenChanged(.fcm("f1"))
        #expect(await harness.server.tokens == ["ada": "f1", "bob": "f1"])
        try await authenticator.deviceTokenChanged(Self.apple)
        #expect(await harness.server.tokens == ["ada": "0a0b", "bob": "f1"])
        try await authenticator.deviceTokenRemoved(of: .apns)
        #expect(await harness.server.tokens == ["ada": "f1", "bob": "f1"])
    }

    @Test func `a vendor without pushes is told nothing`() async throws {
        let authenticator = try life(([], [.fcm])).authenticator
        try await enroll(authenticator)
        try await authenticator.deviceTokenChanged(.fcm("f1"))
        #expect(await harness.server.tokens == ["bob": "f1"])
        #expect(try await authenticator.deviceTokenStates()[.ada] == .current)
    }

    @Test func `an enrollment is made with the token of its own service`() async throws {
        let authenticator = try life().authenticator
        try await authenticator.deviceTokenChanged(.fcm("f1"))
        try await authenticator.deviceTokenChanged(Self.apple)
        try await enroll(authenticator)
        try await authenticator.resume()
        #expect(try await authenticator.enrollment(.ada)?.deviceToken == Self.apple)
        #expect(try await authenticator.enrollment(Self.other)?.deviceToken == .fcm("f1"))
    }

    // MARK: Tokens of one enrollment's own

    @Test func `a token of one enrollment's own reaches it alone, and stays`() async throws {
        let authenticator = try life(([.fcm], [.fcm])).authenticator
        try await enroll(authenticator)
        try await authenticator.deviceTokenChanged(.fcm("shared"))
        try await authenticator.deviceTokenChanged(.fcm("own"), for: .ada)
        #expect(await harness.server.tokens == ["ada": "own", "bob": "shared"])
        try await authenticator.deviceTokenChanged(.fcm("newer"))
        #expect(await harness.server.tokens == ["ada": "own", "bob": "newer"])
        try await authenticator.deviceTokenChanged(nil, for: .ada)
        #expect(await harness.server.tokens == ["ada": .null, "bob": "newer"])
        try await authenticator.useSharedDeviceToken(for: .ada)
        #expect(await harness.server.tokens == ["ada": "newer", "bob": "newer"])
    }

    @Test func `a token of its own that couldn't be told is told later`() async throws {
        let authenticator = try life(([.fcm], [.fcm])).authenticator
        try await enroll(authenticator)
        await harness.faults.next(.refuse)
        #expect(
            await code { try await authenticator.deviceTokenChanged(.fcm("own"), for: .ada) }
                == .unreachable)
        #expect(try await authenticator.deviceTokenStates()[.ada] == .waiting)
        try await authenticator.resume()
        #expect(await harness.server.tokens["ada"] == "own")
        try await authenticator.remove(.ada)
        _ = try await authenticator.join("ada")
        #expect(try await authenticator.enrollment(.ada)?.deviceToken == nil)
    }

    @Test func `a token that its provider doesn't take is refused`() async throws {
        let authenticator = try life().authenticator
        try await enroll(authenticator)
        #expect(
            await code { try await authenticator.deviceTokenChanged(.fcm("x"), for: .ada) }
                == .invalidArgument)
        #expect(
            await code {
                try await authenticator.deviceTokenChanged(
                    Self.apple, for: Enrollment.ID("nobody", of: "acme"))
            } == .unknownEnrollment)
        #expect(try await harness.store.document(.ada).head.ownToken == .unspecified)
    }

    // MARK: Killed anywhere

    @Test(arguments: Cord.Moment.allCases, [false, true])
    func `killed anywhere while both rotate, each vendor holds its own service's newest`(
        moment: Cord.Moment, appleFirst: Bool
    ) async throws {
        var number = 0
        while true {
            let harness = PushServiceTests()
            let first = try harness.life()
            try await harness.enroll(first.authenticator)
            try await first.authenticator.deviceTokenChanged(Self.apple)
            try await first.authenticator.deviceTokenChanged(.fcm("f1"))
            await first.cord.cut(moment, number: number)
            let rotation = appleFirst ? [Self.rotated, .fcm("f2")] : [.fcm("f2"), Self.rotated]
            for token in rotation {
                _ = try? await first.authenticator.deviceTokenChanged(token)
            }
            let wasKilled = await first.cord.isCut
            await first.cord.cut()
            let second = try harness.life().authenticator
            // An app tells its tokens at every start, as the systems hand them out.
            for token in rotation { try await second.deviceTokenChanged(token) }
            #expect(await harness.harness.server.tokens == ["ada": "0c0d", "bob": "f2"])
            #expect(
                try await second.deviceTokenStates() == [.ada: .current, Self.other: .current])
            guard wasKilled else { break }
            number += 1
        }
        #expect(number >= 6)
    }
}

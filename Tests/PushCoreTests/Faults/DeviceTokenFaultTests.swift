import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// The device token changes while the vendors can't be told.
struct DeviceTokenFaultTests {
    private func offline(_ harness: AuthenticatorHarness, times: Int = 1) async {
        for _ in 0..<times { await harness.faults.next(.refuse, where: { $0.path == "/token" }) }
    }

    @Test func `a token that changes while offline is waiting, then told, and current`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await offline(harness)
        let failures = try await authenticator.deviceTokenChanged(.fcm("t1"))
        #expect(failures.mapValues(\.code) == [.ada: .unreachable])
        #expect(try await authenticator.deviceTokenStates() == [.ada: .waiting])
        try await authenticator.resume()
        #expect(try await authenticator.deviceTokenStates() == [.ada: .current])
        #expect(await harness.server.tokenLog == ["ada=t1"])
    }

    @Test func `a token that changes again while offline is the only one told`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        await offline(harness, times: 4)
        try await authenticator.deviceTokenChanged(.fcm("t1"))
        try await authenticator.deviceTokenChanged(.fcm("t2"))
        #expect(
            try await authenticator.deviceTokenStates() == [.ada: .waiting, .bob: .waiting])
        try await authenticator.resume()
        #expect(await harness.server.tokenLog.sorted() == ["ada=t2", "bob=t2"])
        #expect(
            try await authenticator.deviceTokenStates() == [.ada: .current, .bob: .current])
    }

    @Test func `a token that couldn't be told is told in the background`() async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        await offline(harness, times: 2)
        try await life.authenticator.deviceTokenChanged(.fcm("t1"))
        for left in [1, 0] {
            #expect(await harness.faults.remaining == left)
            try await eventually("It sleeps.") { life.clock.sleepers >= 1 }
            life.clock.advance(by: .seconds(300))
            if left > 0 {
                try await eventually("It tries again.") { await harness.faults.remaining < left }
            }
        }
        try await eventually("It is acknowledged.") {
            try await life.authenticator.deviceTokenStates() == [.ada: .current]
        }
        #expect(await harness.server.tokenLog == ["ada=t1"])
    }

    @Test func `a token whose reply was lost is told again after a restart`() async throws {
        let harness = AuthenticatorHarness()
        let first = try harness.life()
        _ = try await first.authenticator.join("ada")
        await first.cord.cut(.after, .send("/token"))
        _ = try? await first.authenticator.deviceTokenChanged(.fcm("t1"))
        let second = try harness.life().authenticator
        #expect(try await second.deviceTokenStates() == [.ada: .waiting])
        try await second.resume()
        #expect(try await second.deviceTokenStates() == [.ada: .current])
        #expect(await harness.server.tokens == ["ada": "t1"])
    }

    @Test(arguments: Cord.Moment.allCases)
    func `killed at any effect of a token's change, the newest is told after the restart`(
        moment: Cord.Moment
    ) async throws {
        var number = 0
        while true {
            let harness = AuthenticatorHarness()
            let first = try harness.life()
            _ = try await first.authenticator.join("ada")
            try await first.authenticator.deviceTokenChanged(.fcm("old"))
            await first.cord.cut(moment, number: number)
            _ = try? await first.authenticator.deviceTokenChanged(.fcm("new"))
            let wasKilled = await first.cord.isCut
            await first.kill()
            let second = try harness.life().authenticator
            // An app tells its token at every start, as the system hands it out.
            try await second.deviceTokenChanged(.fcm("new"))
            #expect(await harness.server.tokens == ["ada": "new"])
            #expect(try await second.deviceTokenStates() == [.ada: .current])
            guard wasKilled else { break }
            number += 1
        }
        #expect(number >= 3)
    }

    @Test func `an old token whose call is under way never comes after the newer one`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let gate = Gate()
        await harness.server.hold("/token", at: gate)
        async let old = authenticator.deviceTokenChanged(.fcm("old"))
        await gate.arrival()
        async let newer = authenticator.deviceTokenChanged(.fcm("newer"))
        try await eventually("The newer is remembered.") {
            bytes(try await harness.rawStore(), hold: "newer")
        }
        await gate.open()
        _ = try await (old, newer)
        #expect(await harness.server.tokenLog.last == "ada=newer")
        #expect(try await authenticator.deviceTokenStates() == [.ada: .current])
        try await authenticator.resume()
        #expect(await harness.server.tokenLog.count <= 2)
    }

    @Test func `an old token whose reply was lost isn't told again after the newer one`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.faults.next(.dropAfter, where: { $0.path == "/token" })
        try await authenticator.deviceTokenChanged(.fcm("old"))
        try await authenticator.deviceTokenChanged(.fcm("newer"))
        try await authenticator.resume()
        #expect(await harness.server.tokenLog == ["ada=old", "ada=newer"])
    }

    @Test func `a token that changes back is told, as nobody knows which one the vendor has`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        try await authenticator.deviceTokenChanged(.fcm("a"))
        await harness.faults.next(.dropAfter, where: { $0.path == "/token" })
        try await authenticator.deviceTokenChanged(.fcm("b"))
        try await authenticator.deviceTokenChanged(.fcm("a"))
        try await authenticator.resume()
        #expect(await harness.server.tokens == ["ada": "a"])
        #expect(try await authenticator.deviceTokenStates() == [.ada: .current])
    }

    // MARK: The enrollment goes

    @Test func `an enrollment deleted while its token waits is told nothing, and the others are`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        await offline(harness, times: 2)
        try await authenticator.deviceTokenChanged(.fcm("t1"))
        try await authenticator.remove(.ada)
        #expect(try await authenticator.deviceTokenStates() == [.bob: .waiting])
        try await authenticator.resume()
        #expect(await harness.server.tokenLog == ["bob=t1"])
        #expect(try await authenticator.deviceTokenStates() == [.bob: .current])
    }

    @Test func `an enrollment deleted before the background try isn't made again by it`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        await offline(harness)
        try await life.authenticator.deviceTokenChanged(.fcm("t1"))
        try await life.authenticator.remove(.ada)
        life.clock.advance(by: .seconds(600))
        try await eventually("Nothing is tried.") {
            await life.authenticator.background == (0, 0)
        }
        #expect(await harness.server.tokenLog.isEmpty)
        #expect(try await life.authenticator.enrollments().isEmpty)
        #expect(try await life.authenticator.deviceTokenStates().isEmpty)
    }

    @Test func `an enrollment that another process deletes while it is told stays deleted`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let app = try harness.life(named: "app").authenticator
        let other = try harness.life(named: "other").authenticator
        _ = try await app.join("ada")
        let gate = Gate()
        await harness.server.hold("/token", at: gate)
        async let failures = app.deviceTokenChanged(.fcm("t1"))
        await gate.arrival()
        try await other.remove(.ada)
        await gate.open()
        _ = try await failures
        #expect(try await app.enrollments().isEmpty)
        #expect(try await app.deviceTokenStates().isEmpty)
    }

    @Test func `a vendor without a call for tokens is shown as such`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada"], .init(capabilities: []))
        try await authenticator.deviceTokenChanged(.fcm("t1"))
        #expect(try await authenticator.deviceTokenStates() == [.ada: .unsupported])
        #expect(await harness.server.tokenLog.isEmpty)
    }

    @Test func `a vendor without a call that enrolled with the token has it`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try harness.authenticator(.init(capabilities: []))
        try await authenticator.deviceTokenChanged(.fcm("t1"))
        _ = try await authenticator.join("ada")
        #expect(try await authenticator.deviceTokenStates() == [.ada: .current])
        try await authenticator.deviceTokenChanged(.fcm("t2"))
        #expect(try await authenticator.deviceTokenStates() == [.ada: .unsupported])
    }

    @Test func `half an enrollment isn't told its own token before it is confirmed`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(
            ["ada"], .init(state: .pending(.unconfirmed)))
        let told = await harness.server.requests["/token"] ?? 0
        try await authenticator.deviceTokenChanged(.fcm("own"), for: .ada)
        #expect(await harness.server.requests["/token"] ?? 0 == told)
    }

    @Test func `an enrollment of the same name doesn't take over the token of a removed one`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        try await authenticator.deviceTokenChanged(.fcm("own"), for: .ada)
        // Killed as soon as the record was deleted.
        try await harness.store.wipe(["enrollment"])
        #expect(await harness.store.count == 0)
        let later = try harness.authenticator()
        try await later.resume()
        try await later.deviceTokenChanged(.apns(hex: "0a0b", isSandbox: false))
        _ = try await later.join("ada")
        #expect(
            try await later.enrollment(.ada)?.deviceToken == .apns(hex: "0a0b", isSandbox: false))
    }
}

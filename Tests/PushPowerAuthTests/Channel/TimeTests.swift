import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// The server's time: whose it is, and what is done when what was known of it has gone wrong.
@Suite struct TimeTests {
    private func list(_ phone: PowerAuthHarness, _ id: Enrollment.ID) async throws -> Int {
        try await phone.authenticator.pending(for: id).count
    }

    /// The server's clock moves, and this device doesn't notice: it was set, or the device slept.
    private func step(_ phone: PowerAuthHarness, by seconds: TimeInterval) {
        phone.pass(1)
        phone.bank.clock.set(phone.bank.clock.now + seconds)
    }

    @Test(arguments: PowerAuthVersion.allCases, [10_800.0, -10_800, 90_000])
    func `a server's clock that was set costs one question, and no token`(
        _ version: PowerAuthVersion, _ seconds: TimeInterval
    ) async throws {
        let phone = try await PowerAuthHarness { $0.version = version }
        let id = try await phone.activated()
        _ = try await phone.simulator.createOperation(
            for: Bank.user, .payment { $0.lifetime = .seconds(1_000_000) })
        #expect(try await list(phone, id) == 1)
        for seconds in [seconds, -seconds] {
            let calls = (await phone.calls(.time), await phone.calls(.keystore))
            let listed = await phone.calls(.list)
            step(phone, by: seconds)
            #expect(try await list(phone, id) == 1)
            #expect(try await list(phone, id) == 1)
            let asked = (await phone.calls(.time), await phone.calls(.keystore))
            #expect(asked.0 - calls.0 + asked.1 - calls.1 == 1)
            #expect(await phone.calls(.list) == listed + 3)
        }
        #expect(await phone.calls(.tokenCreation) == 1)
    }

    @Test(arguments: [PowerAuthVersion.v3_2, .v3_3], [3600.0, -3600])
    func `envelopes carry the time that the server has now`(
        _ version: PowerAuthVersion, _ seconds: TimeInterval
    ) async throws {
        let phone = try await PowerAuthHarness { $0.version = version }
        _ = try await phone.activated()
        step(phone, by: seconds)
        let invitation = try await phone.simulator.invitation(for: Bank.user)
        let id = try await phone.enroll(invitation).id
        #expect(await phone.calls(.activation) == 3)
        try await phone.simulator.commit(id.name)
        #expect(try await list(phone, id) == 0)
    }

    @Test(arguments: PowerAuthVersion.allCases)
    func `a refusal that the time doesn't explain isn't repeated for it`(
        _ version: PowerAuthVersion
    ) async throws {
        let phone = try await PowerAuthHarness { $0.version = version }
        let id = try await phone.activated()
        _ = try await list(phone, id)
        try await phone.simulator.forgetTokens(of: id.name)
        #expect(try await list(phone, id) == 0)
        // The first, the refused one and the one with a new token.
        #expect(await phone.calls(.list) == 3)
    }

    @Test func `a server that refuses whatever the time is asked for it once for each call`()
        async throws
    {
        let phone = try await PowerAuthHarness { $0.version = .v3_2 }
        let id = try await phone.activated()
        _ = try await list(phone, id)
        await phone.simulator.spoil(
            by: .refusal(status: 401, code: "POWERAUTH_AUTH_FAIL"), at: .list, times: 9)
        for _ in 0..<3 {
            let asked = await phone.calls(.time)
            #expect(await code { try await list(phone, id) } == .server(status: 401))
            #expect(await phone.calls(.time) <= asked + 1)
        }
    }

    // MARK: Whose time it is

    @Test(arguments: PowerAuthVersion.allCases)
    func `one reading ends nothing, and a second list that agrees ends what ran out`(
        _ version: PowerAuthVersion
    ) async throws {
        let phone = try await PowerAuthHarness { $0.version = version }
        let id = try await phone.activated()
        let clock = phone.clock
        let server = try await phone.authenticator.enrollment(id)?.server
        func validity(_ moment: Date) async -> Validity {
            await clock.serverTime.validity(
                until: moment, for: id, at: server, elapsed: clock.elapsed)
        }
        let past = phone.bank.clock.now - 3600
        // 3.1 seals without a time, so the first list is its first reading.
        _ = try await list(phone, id)
        if version == .v3_1 { #expect(await validity(past) == .uncertain) }
        phone.pass(1)
        _ = try await list(phone, id)
        #expect(await validity(past) == .expired)
    }

    @Test func `a time that an activation's key vouches for is that enrollment's alone`()
        async throws
    {
        let phone = try await PowerAuthHarness()
        let id = try await phone.activated()
        let other = Enrollment.ID("other", of: id.provider)
        _ = try await list(phone, id)
        let clock = phone.clock
        for (enrollment, isKnown) in [(id, true), (other, false)] {
            let time = await clock.serverTime.now(at: nil, for: enrollment, elapsed: clock.elapsed)
            #expect((time != nil) == isKnown)
        }
    }

    @Test func `the time that the server tells anybody is nobody's own`() async throws {
        let phone = try await PowerAuthHarness { $0.version = .v3_2 }
        let id = try await phone.activated()
        try await phone.manager(id).synchronizeTime()
        let clock = phone.clock
        #expect(await clock.serverTime.now(at: nil, for: id, elapsed: clock.elapsed) == nil)
        let server = Endpoint.ServerID(
            phone.provider.configuration.enrollmentServer, of: "powerauth")
        #expect(await clock.serverTime.now(at: server, elapsed: clock.elapsed) != nil)
        let elsewhere = Endpoint.ServerID(
            phone.provider.configuration.enrollmentServer, of: "powerauth/other")
        #expect(await clock.serverTime.now(at: elsewhere, elapsed: clock.elapsed) == nil)
    }

    @Test func `a time that the app asks for is the one that is sent from then on`() async throws {
        for version in PowerAuthVersion.allCases {
            let phone = try await PowerAuthHarness { $0.version = version }
            let id = try await phone.activated()
            _ = try await list(phone, id)
            step(phone, by: 20_000)
            try await phone.manager(id).synchronizeTime()
            let listed = await phone.calls(.list)
            _ = try await list(phone, id)
            #expect(await phone.calls(.list) == listed + 1, "\(version)")
        }
    }
}

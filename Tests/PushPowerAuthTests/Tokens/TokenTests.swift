import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct TokenTests {
    private func list(
        _ phone: PowerAuthHarness, _ id: Enrollment.ID, by provider: PowerAuth? = nil
    ) async throws -> Int {
        let channel = (provider ?? phone.provider).channel
        return try await channel.sendWithToken(
            try await channel.accounts.existing(id), PowerAuthSimulator.Call.list.rawValue,
            body: Data("{}".utf8)
        ).status
    }

    @Test(arguments: PowerAuthVersion.allCases)
    func `a token is made when it's needed, and kept`(_ version: PowerAuthVersion) async throws {
        let phone = try await PowerAuthHarness { $0.version = version }
        let id = try await phone.activated()
        #expect(await phone.calls(.tokenCreation) == 0)
        for _ in 0..<3 { #expect(try await list(phone, id) == 200) }
        #expect(try await list(phone, id, by: phone.anotherProvider()) == 200)
        #expect(await phone.calls(.tokenCreation) == 1)
        let known = try await phone.simulator.activation(id.name)
        #expect(known.tokens == [try #require(try await phone.record(id).token).id])
        #expect(known.counter == 1)
    }

    @Test func `a token that is refused when it's new isn't made again until the state changes`()
        async throws
    {
        let phone = try await PowerAuthHarness()
        let id = try await phone.activated()
        await phone.simulator.spoil(
            by: .refusal(status: 401, code: "POWERAUTH_AUTH_FAIL"), at: .list, times: 4)
        for calls in 1...3 {
            #expect(try await list(phone, id) == 401)
            #expect(await phone.calls(.list) == calls)
            #expect(await phone.calls(.tokenCreation) == 1)
        }
        try await phone.simulator.block(id.name)
        _ = try await phone.authenticator.refresh(id)
        try await phone.simulator.unblock(id.name)
        #expect(try await list(phone, id) == 200)
        #expect(await phone.calls(.tokenCreation) == 2)
    }

    @Test func `a token that was taken after all may be replaced again`() async throws {
        let phone = try await PowerAuthHarness()
        let id = try await phone.activated()
        await phone.simulator.spoil(
            by: .refusal(status: 401, code: "POWERAUTH_AUTH_FAIL"), at: .list)
        #expect(try await list(phone, id) == 401)
        #expect(try await list(phone, id) == 200)
        try await phone.simulator.forgetTokens(of: id.name)
        #expect(try await list(phone, id) == 200)
        #expect(await phone.calls(.tokenCreation) == 2)
    }

    @Test func `a replaced token that is refused, too, isn't replaced a second time`() async throws
    {
        let phone = try await PowerAuthHarness()
        let id = try await phone.activated()
        #expect(try await list(phone, id) == 200)
        await phone.simulator.spoil(
            by: .refusal(status: 401, code: "POWERAUTH_AUTH_FAIL"), at: .list, times: 9)
        for calls in [3, 4] {
            #expect(try await list(phone, id) == 401)
            #expect(await phone.calls(.list) == calls)
            #expect(await phone.calls(.tokenCreation) == 2)
        }
    }

    @Test func `a gateway's clock isn't taken for the server's`() async throws {
        let phone = try await PowerAuthHarness()
        let id = try await phone.activated()
        let (simulator, clock) = (phone.simulator, phone.bank.clock)
        let transport = SimulatedTransport { request, body in
            var (response, data) = await simulator.respond(to: request, body: body)
            let style = Date.VerbatimFormatStyle(
                format: """
                    \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \
                    \(year: .padded(4)) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\
                    \(minute: .twoDigits):\(second: .twoDigits) GMT
                    """, locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt,
                calendar: Calendar(identifier: .gregorian))
            response.headerFields[.date] = (clock.now + 300).formatted(style)
            return (response, data)
        }
        let provider = phone.anotherProvider(over: transport)
        for _ in 0..<2 { #expect(try await list(phone, id, by: provider) == 200) }
        let paths = await transport.exchanges.map(\.request.path)
        #expect(paths.count { $0 == PowerAuthSimulator.Call.list.rawValue } == 2)
        let time = try #require(await provider.channel.knownTime())
        #expect(abs(time.timeIntervalSince(clock.now)) <= 1)
    }

    @Test func `a token call of an activation that isn't active says why`() async throws {
        let phone = try await PowerAuthHarness()
        let id = try await phone.enroll().id
        #expect(await code { try await list(phone, id) } == .blocked)
        try await phone.simulator.commit(id.name)
        #expect(try await list(phone, id) == 200)
        try await phone.simulator.block(id.name)
        #expect(await code { try await list(phone, id) } == .blocked)
        guard case .blocked? = try await phone.state(id) else {
            Issue.record("The state isn't on record.")
            return
        }
        try await phone.simulator.unblock(id.name)
        #expect(try await list(phone, id) == 200)
        try await phone.simulator.remove(id.name)
        #expect(await code { try await list(phone, id) } == .unknownEnrollment)
        #expect(try await phone.state(id) == .needsReenrollment)
    }

    @Test(arguments: [PowerAuthSimulator.BadAnswer.tampered, .wrongKey])
    func `a token that isn't the server's isn't kept`(
        _ fault: PowerAuthSimulator.BadAnswer
    ) async throws {
        let phone = try await PowerAuthHarness()
        let id = try await phone.activated()
        await phone.simulator.spoil(by: fault, at: .tokenCreation)
        #expect(await code { try await list(phone, id) } == .untrusted)
        #expect(try await phone.record(id).token == nil)
        #expect(try await list(phone, id) == 200)
    }

    @Test func `a temporary key that the server lost is replaced for a token, too`() async throws {
        let phone = try await PowerAuthHarness()
        let id = try await phone.activated()
        _ = try await list(phone, id)
        await phone.simulator.forgetTemporaryKeys()
        try await phone.account(id).change { (record: inout PowerAuthRecord, _) in
            record.token = nil
        }
        #expect(try await list(phone, id) == 200)
        // Both were signed, each with a value of its own.
        #expect(await phone.calls(.tokenCreation) == 3)
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct TokenTests {
    private func list(
        _ handset: Handset, _ id: Enrollment.ID, by provider: PowerAuth? = nil
    ) async throws -> Int {
        try await (provider ?? handset.provider).channel.sendWithToken(
            id, PowerAuthSimulator.Call.list.rawValue, body: Data("{}".utf8)
        ).status
    }

    @Test(arguments: PowerAuthVersion.allCases)
    func `a token is made when it's needed, and kept`(_ version: PowerAuthVersion) async throws {
        let handset = try await Handset { $0.version = version }
        let id = try await handset.activated()
        #expect(await handset.calls(.tokenCreation) == 0)
        for _ in 0..<3 { #expect(try await list(handset, id) == 200) }
        #expect(try await list(handset, id, by: handset.restarted) == 200)
        #expect(await handset.calls(.tokenCreation) == 1)
        let known = try await handset.simulator.activation(id.name)
        #expect(known.tokens == [try #require(try await handset.record(id).token).id])
        #expect(known.counter == 1)
    }

    @Test func `a token that the server lost is replaced once, after the status`() async throws {
        let handset = try await Handset()
        let id = try await handset.activated()
        _ = try await list(handset, id)
        let asked = await handset.calls(.status)
        try await handset.simulator.forgetTokens(of: id.name)
        #expect(try await list(handset, id) == 200)
        #expect(await handset.calls(.tokenCreation) == 2)
        #expect(await handset.calls(.status) == asked + 1)
        #expect(await handset.calls(.list) == 3)
    }

    @Test func `a token that is refused when it's new isn't made again until the state changes`()
        async throws
    {
        let handset = try await Handset()
        let id = try await handset.activated()
        await handset.simulator.spoil(
            by: .refusal(status: 401, code: "POWERAUTH_AUTH_FAIL"), at: .list, times: 4)
        for calls in 1...3 {
            #expect(try await list(handset, id) == 401)
            #expect(await handset.calls(.list) == calls)
            #expect(await handset.calls(.tokenCreation) == 1)
        }
        try await handset.simulator.block(id.name)
        _ = try await handset.authenticator.refresh(id)
        try await handset.simulator.unblock(id.name)
        #expect(try await list(handset, id) == 200)
        #expect(await handset.calls(.tokenCreation) == 2)
    }

    @Test func `a token that was taken after all may be replaced again`() async throws {
        let handset = try await Handset()
        let id = try await handset.activated()
        await handset.simulator.spoil(
            by: .refusal(status: 401, code: "POWERAUTH_AUTH_FAIL"), at: .list)
        #expect(try await list(handset, id) == 401)
        #expect(try await list(handset, id) == 200)
        try await handset.simulator.forgetTokens(of: id.name)
        #expect(try await list(handset, id) == 200)
        #expect(await handset.calls(.tokenCreation) == 2)
    }

    @Test func `a replaced token that is refused, too, isn't replaced a second time`() async throws
    {
        let handset = try await Handset()
        let id = try await handset.activated()
        #expect(try await list(handset, id) == 200)
        await handset.simulator.spoil(
            by: .refusal(status: 401, code: "POWERAUTH_AUTH_FAIL"), at: .list, times: 9)
        for calls in [3, 4] {
            #expect(try await list(handset, id) == 401)
            #expect(await handset.calls(.list) == calls)
            #expect(await handset.calls(.tokenCreation) == 2)
        }
    }

    @Test func `a gateway's clock isn't taken for the server's`() async throws {
        let handset = try await Handset()
        let id = try await handset.activated()
        let (simulator, clock) = (handset.simulator, handset.serverClock)
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
        let provider = handset.provider(over: transport)
        for _ in 0..<2 { #expect(try await list(handset, id, by: provider) == 200) }
        let paths = await transport.exchanges.map(\.request.path)
        #expect(paths.count { $0 == PowerAuthSimulator.Call.list.rawValue } == 2)
        let time = try #require(await provider.channel.knownTime())
        #expect(abs(time.timeIntervalSince(clock.now)) <= 1)
    }

    @Test func `a phone whose clock runs fast keeps its token after a restart`() async throws {
        let handset = try await Handset(skew: 120)
        let id = try await handset.activated()
        #expect(try await list(handset, id) == 200)
        let other = try await Handset(skew: 120, store: handset.store)
        let restarted = PowerAuth(
            configuration: handset.provider.configuration,
            in: Environment(
                transport: handset.transport, store: handset.store, verifier: handset.keypad,
                clock: other.clock, random: handset.random, device: Device(name: "Phone")))
        #expect(try await list(handset, id, by: restarted) == 200)
        #expect(await handset.calls(.tokenCreation) == 1)
    }

    @Test func `a token call of an activation that isn't active says why`() async throws {
        let handset = try await Handset()
        let id = try await handset.enrolled().id
        #expect(await code { try await list(handset, id) } == .blocked)
        try await handset.simulator.commit(id.name)
        #expect(try await list(handset, id) == 200)
        try await handset.simulator.block(id.name)
        #expect(await code { try await list(handset, id) } == .blocked)
        guard case .blocked? = try await handset.state(id) else {
            Issue.record("The state isn't on record.")
            return
        }
        try await handset.simulator.unblock(id.name)
        #expect(try await list(handset, id) == 200)
        try await handset.simulator.remove(id.name)
        #expect(await code { try await list(handset, id) } == .unknownEnrollment)
        #expect(try await handset.state(id) == .needsReenrollment)
    }

    @Test(arguments: [PowerAuthSimulator.BadAnswer.tampered, .wrongKey])
    func `a token that isn't the server's isn't kept`(
        _ fault: PowerAuthSimulator.BadAnswer
    ) async throws {
        let handset = try await Handset()
        let id = try await handset.activated()
        await handset.simulator.spoil(by: fault, at: .tokenCreation)
        #expect(await code { try await list(handset, id) } == .untrusted)
        #expect(try await handset.record(id).token == nil)
        #expect(try await list(handset, id) == 200)
    }

    @Test func `a temporary key that the server lost is replaced for a token, too`() async throws {
        let handset = try await Handset()
        let id = try await handset.activated()
        _ = try await list(handset, id)
        await handset.simulator.forgetTemporaryKeys()
        try await handset.provider.channel.vault.update(id) { (credential) throws(PushError) in
            var record = try PowerAuthRecord(credential)
            record.token = nil
            credential.secret = record.sealed
        }
        #expect(try await list(handset, id) == 200)
        // Both were signed, each with a value of its own.
        #expect(await handset.calls(.tokenCreation) == 3)
    }
}

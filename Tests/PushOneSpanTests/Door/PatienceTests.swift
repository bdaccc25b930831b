import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// Every waiting state has a way out without the server: here, time.
@Suite(.timeLimit(.minutes(10))) struct PatienceTests {
    /// The server never answers a command; the app learns that, and says how it ended.
    private func silence(_ type: UInt8, at bench: DoorBench) async throws {
        await bench.site.server.next(.refuse, at: type)
    }

    @Test(arguments: [(UInt8(0x01), 121), (0x03, 601), (0x05, 601)])
    func `an activation without a reply ends in time, and leaves nothing`(
        type: UInt8, seconds: Int
    ) async throws {
        let bench = try await DoorBench()
        let password = try await bench.site.password()
        try await silence(type, at: bench)
        let activating = Task { try? await bench.activate(password) }
        await bench.app.wait(for: .step(type))
        await bench.handset.outwait(.seconds(seconds))
        _ = await activating.value
        let expected: [OneSpanError?] = [
            .noReply, .relay, .provisioning(-1202, attemptsLeft: nil),
            .activationExpired,
        ]
        guard case .error(let error) = await bench.app.events.last else {
            Issue.record("It ended with \(String(describing: await bench.app.events.last))")
            return
        }
        #expect(expected.contains(error))
        #expect(await bench.handset.store.credentials == 0)
        try await bench.activate(password)
        #expect(await bench.app.events.last == .activated)
    }

    @Test func `the last command of an activation is kept beyond its time`() async throws {
        let bench = try await DoorBench()
        try await silence(0x07, at: bench)
        let activating = Task { try? await bench.activate() }
        await bench.app.wait(for: .step(0x07))
        await bench.handset.outwait(.seconds(601))
        _ = await activating.value
        #expect(await bench.handset.store.credentials == 1)
        let later = try await OneSpanHarness(
            bench.site, store: bench.handset.store, user: bench.handset.user)
        try await later.start()
        #expect(try await later.state == .active)
        #expect(Set(await bench.site.server.commands(0x07)).count == 1)
    }

    @Test func `a fetch without a reply is outdated after a minute`() async throws {
        let bench = try await DoorBench.joined()
        _ = try await bench.site.login()
        try await silence(0x21, at: bench)
        try await bench.execute()
        await bench.app.wait(for: .step(0x21))
        await bench.handset.outwait(.seconds(61))
        await bench.app.wait(for: .outdated(.authentication, .unknown))
    }

    @Test func `an answer without a reply is unknown after five minutes, and isn't lost`()
        async throws
    {
        let bench = try await DoorBench.joined()
        let request = try await bench.site.login()
        try await silence(0x23, at: bench)
        try await bench.execute()
        await bench.app.wait(for: .step(0x23))
        await bench.handset.outwait(.seconds(301))
        await bench.app.wait { if case .error = $0.last { true } else { false } }
        #expect(try await bench.handset.record(request) == .decided(.approve))
        let later = try await OneSpanHarness(
            bench.site, store: bench.handset.store, user: bench.handset.user)
        let outcomes = try await later.authenticator.resume()
        #expect(Array(outcomes.values) == [.delivered])
        #expect(Set(await bench.site.server.commands(0x23)).count == 1)
        #expect(await bench.site.status(request) == .accepted)
    }

    @Test func `a registration without a reply is given up, and made up for later`()
        async throws
    {
        let bench = try await DoorBench.joined()
        try await silence(0x10, at: bench)
        let registering = Task { try? await bench.register(token: "token-b") }
        await bench.app.wait { $0.filter { $0 == .step(0x10) }.count == 2 }
        await bench.handset.outwait(.seconds(301))
        _ = await registering.value
        #expect(await bench.app.count(.registered(Sample.user)) == 1)
        try await bench.register(token: "token-a")
        #expect(await bench.app.count(.step(0x10)) == 3)
        #expect(await bench.app.count(.registered(Sample.user)) == 2)
        #expect(try await bench.handset.device().deviceToken == .fcm("token-a"))
    }

    @Test func `time that runs out at the keypad ends a request, and nothing is sent`()
        async throws
    {
        let bench = try await DoorBench.joined()
        let gate = Gate(letsCancelledPass: true)
        await bench.handset.user.think(at: gate)
        _ = try await bench.site.pinLogin()
        try await bench.execute()
        await gate.arrival()
        await bench.handset.outwait(.seconds(61))
        await bench.app.wait(for: .outdated(.authentication, .expired))
        await gate.open()
        #expect(await bench.site.server.commands(0x23).isEmpty)
    }
}

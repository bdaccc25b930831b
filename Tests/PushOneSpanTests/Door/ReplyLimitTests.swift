import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// Every waiting state has a way out without the server: here, time.
@Suite(.timeLimit(.minutes(10))) struct ReplyLimitTests {
    /// The server never answers a command; the app learns that, and says how it ended.
    private func silence(_ type: UInt8, at app: OneSpanApp) async throws {
        await app.site.server.next(.refuse, at: type)
    }

    @Test(arguments: [(UInt8(0x01), 121), (0x03, 601), (0x05, 601)])
    func `an activation without a reply ends in time, and leaves nothing`(
        type: UInt8, seconds: Int
    ) async throws {
        let app = try await OneSpanApp()
        let password = try await app.site.password()
        try await silence(type, at: app)
        let activating = Task { try? await app.activate(password) }
        await app.wait(for: .step(type))
        await app.harness.outwait(.seconds(seconds))
        _ = await activating.value
        let expected: [OneSpanError?] = [
            .noReply, .relay, .provisioning(-1202, attemptsLeft: nil),
            .activationExpired,
        ]
        guard case .error(let error) = await app.events.last else {
            Issue.record("It ended with \(String(describing: await app.events.last))")
            return
        }
        #expect(expected.contains(error))
        #expect(await app.harness.store.credentials == 0)
        try await app.activate(password)
        #expect(await app.events.last == .activated)
    }

    @Test func `the last command of an activation is kept beyond its time`() async throws {
        let app = try await OneSpanApp()
        try await silence(0x07, at: app)
        let activating = Task { try? await app.activate() }
        await app.wait(for: .step(0x07))
        await app.harness.outwait(.seconds(601))
        _ = await activating.value
        #expect(await app.harness.store.credentials == 1)
        let later = try await OneSpanHarness(
            app.site, store: app.harness.store, user: app.harness.user)
        try await later.start()
        #expect(try await later.state == .active)
        #expect(Set(await app.site.server.commands(0x07)).count == 1)
    }

    @Test func `a fetch without a reply is outdated after a minute`() async throws {
        let app = try await OneSpanApp.joined()
        _ = try await app.site.login()
        try await silence(0x21, at: app)
        try await app.execute()
        await app.wait(for: .step(0x21))
        await app.harness.outwait(.seconds(61))
        await app.wait(for: .outdated(.authentication, .unknown))
    }

    @Test func `an answer without a reply is unknown after five minutes, and isn't lost`()
        async throws
    {
        let app = try await OneSpanApp.joined()
        let request = try await app.site.login()
        try await silence(0x23, at: app)
        try await app.execute()
        await app.wait(for: .step(0x23))
        await app.harness.outwait(.seconds(301))
        await app.wait { if case .error = $0.last { true } else { false } }
        #expect(try await app.harness.record(request) == .decided(.approve))
        let later = try await OneSpanHarness(
            app.site, store: app.harness.store, user: app.harness.user)
        let outcomes = try await later.authenticator.resume()
        #expect(Array(outcomes.values) == [.delivered])
        #expect(Set(await app.site.server.commands(0x23)).count == 1)
        #expect(await app.site.status(request) == .accepted)
    }

    @Test func `a registration without a reply is given up, and made up for later`()
        async throws
    {
        let app = try await OneSpanApp.joined()
        try await silence(0x10, at: app)
        let registering = Task { try? await app.register(.fcm("token-b")) }
        await app.wait { $0.filter { $0 == .step(0x10) }.count == 2 }
        await app.harness.outwait(.seconds(301))
        _ = await registering.value
        #expect(await app.count(.registered(Sample.user)) == 1)
        try await app.register(.fcm("token-a"))
        #expect(await app.count(.step(0x10)) == 3)
        #expect(await app.count(.registered(Sample.user)) == 2)
        #expect(try await app.harness.device().deviceToken == .fcm("token-a"))
    }

    @Test func `time that runs out at the keypad ends a request, and nothing is sent`()
        async throws
    {
        let app = try await OneSpanApp.joined()
        let gate = Gate(letsCancelledPass: true)
        await app.harness.user.think(at: gate)
        _ = try await app.site.pinLogin()
        try await app.execute()
        await gate.arrival()
        await app.harness.outwait(.seconds(61))
        await app.wait(for: .outdated(.authentication, .expired))
        await gate.open()
        #expect(await app.site.server.commands(0x23).isEmpty)
    }
}

import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// How workflows end before their time, and what waits behind them:
/// `docs/vendors/onespan.md#remote-authentication-and-transaction`.
@Suite(.timeLimit(.minutes(10))) struct DoorEndTests {
    // MARK: Abort, in each waiting state

    @Test func `cancelling while a request is fetched`() async throws {
        let app = try await OneSpanApp.joined()
        let request = try await app.site.login()
        let gate = Gate(letsCancelledPass: true)
        await app.site.server.next(.holdReply(gate), at: 0x21)
        async let executing: Void = app.execute()
        await gate.arrival()
        try await app.door.cancel()
        await gate.open()
        _ = try await executing
        await app.wait(for: .aborted(.authentication))
        #expect(await app.site.server.commands(0x23).isEmpty)
        #expect(await app.site.status(request) == .pending)
    }

    @Test func `cancelling while the user authenticates, by the app and by the user`()
        async throws
    {
        let app = try await OneSpanApp.joined()
        let gate = Gate(letsCancelledPass: true)
        await app.harness.user.think(at: gate)
        _ = try await app.site.pinLogin()
        try await app.execute()
        await gate.arrival()
        try await app.door.cancel()
        await gate.open()
        await app.wait(for: .aborted(.authentication))
        await app.harness.user.think(at: nil)
        await app.harness.user.giveUp()
        _ = try await app.site.pinLogin()
        try await app.execute()
        await app.wait { $0.filter { $0 == .aborted(.authentication) }.count == 2 }
        #expect(await app.site.server.commands(0x23).isEmpty)
    }

    @Test func `the app may give up between two tries of a password`() async throws {
        let app = try await OneSpanApp.active()
        await app.harness.user.type("000000", "135790")
        let (command, login) = try await app.pushed()
        let door = app.door
        await app.on(.passwordError(.authentication, 2)) { try? await door.cancel() }
        let asked = await app.harness.user.requests.count
        await app.door.execute(command)
        await app.wait(for: .aborted(.authentication))
        #expect(
            await app.events == [
                .step(0x21), .displayed(.authentication, .text("Sign in to Example Bank")),
                .step(0x23), .passwordError(.authentication, 2), .aborted(.authentication),
            ])
        #expect(await app.harness.user.requests.count == asked + 1)
        #expect(try await app.harness.simulator.status(of: login.id) == .waiting)
        // Nothing is left of it: the request can be executed again.
        await app.door.execute(command)
        await app.wait(for: .success(.authentication, .accepted, token: false))
        #expect(try await app.harness.simulator.status(of: login.id) == .approved)
    }

    @Test func `the app may give up while the user decides, and tells the server nothing`()
        async throws
    {
        let app = try await OneSpanApp.active(taste: .wait)
        let (command, login) = try await app.pushed()
        await app.door.execute(command)
        await app.wait(for: .displayed(.authentication, .text("Sign in to Example Bank")))
        let sent = await app.harness.sent
        try await app.door.cancel()
        await app.wait(for: .aborted(.authentication))
        #expect(await app.harness.sent == sent)
        #expect(try await app.harness.simulator.status(of: login.id) == .waiting)
    }

    @Test func `a request that ends while the user decides is withdrawn`() async throws {
        let app = try await OneSpanApp.active(taste: .wait)
        await app.door.execute(try await app.pushed().0)
        await app.wait(for: .displayed(.authentication, .text("Sign in to Example Bank")))
        app.harness.clock.advance(by: .seconds(61))
        await app.wait(for: .outdated(.authentication, .expired))
    }

    @Test func `an answer under way can't be cancelled`() async throws {
        let app = try await OneSpanApp.joined()
        let gate = Gate(letsCancelledPass: true)
        await app.site.server.next(.holdReply(gate), at: 0x23)
        let request = try await app.site.login()
        try await app.execute()
        await gate.arrival()
        let error = try? await refusal { try await app.door.cancel() }
        #expect(error?.oneSpan == .invalidState)
        await gate.open()
        await app.wait(for: .success(.authentication, .accepted, token: false))
        #expect(await app.site.status(request) == .accepted)
    }

    @Test func `with nothing running there is nothing to cancel`() async throws {
        let app = try await OneSpanApp.joined()
        let error = try await refusal { try await app.door.cancel() }
        #expect(error.oneSpan == .invalidState)
    }

    // MARK: Outdated, for each reason

    @Test func `a request that was answered is outdated the second time`() async throws {
        let app = try await OneSpanApp.active()
        let (command, _) = try await app.pushed()
        await app.door.execute(command)
        await app.wait(for: .success(.authentication, .accepted, token: false))
        await app.door.execute(command)
        await app.wait(for: .outdated(.authentication, .accepted))
    }

    @Test(arguments: [
        SessionOutdatedReason.accepted, .refused, .expired, .unknown,
    ])
    func `an outdated session tells its reason`(reason: SessionOutdatedReason) async throws {
        let site = Site()
        let other = try await OneSpanHarness.joined(site, token: "token-b")
        let app = try await OneSpanApp.joined(site)
        let request = try await site.pinLogin()
        let pushes = try await OneSpanHarness.pushes(at: site)
        for message in pushes["token-b"] ?? [] {
            _ = try await other.authenticator.receive(message)
        }
        if reason == .expired {
            site.time.advance(by: .seconds(61))
        } else {
            let challenge = try await other.authenticator.challenge(other.id(request))
            if reason == .unknown { await other.user.type(Sample.wrongPIN) }
            for _ in 0..<(reason == .unknown ? 3 : 1) {
                _ = try? await other.authenticator.resolve(
                    challenge, with: reason == .refused ? .deny(.fraud) : .approve)
            }
        }
        let message = try #require(pushes["token-a"]?.first)
        await app.door.execute(
            try OneSpanNotification.parseOneSpanNotification(message))
        await app.wait(for: .outdated(.authentication, reason))
        #expect(
            await !app.events.contains { if case .error = $0 { true } else { false } })
    }

    // MARK: Queue

    @Test func `a fifth waiting request displaces the oldest, which is told`() async throws {
        let app = try await OneSpanApp.joined()
        await app.prefer(.wait)
        var requests = [try await app.site.login()]
        try await app.execute()
        await app.wait { $0.contains(where: \.isDisplay) }
        for _ in 0..<5 { requests.append(try await app.site.login()) }
        try await app.execute()
        #expect(await app.count(.warning(.requestDisplaced)) == 1)
        await app.prefer(.approve)
        try #require(await app.callers.first).onDataApproved()
        let end = OneSpanApp.Event.success(.authentication, .accepted, token: false)
        await app.wait { $0.filter { $0 == end }.count == 5 }
        for (index, request) in requests.enumerated() {
            #expect(await app.site.status(request) == (index == 1 ? .pending : .accepted))
        }
    }

    @Test func `a request that comes meanwhile waits, the same one is ignored`() async throws {
        let app = try await OneSpanApp.active(taste: .wait)
        let (first, _) = try await app.pushed()
        await app.door.execute(first)
        await app.wait(for: .displayed(.authentication, .text("Sign in to Example Bank")))
        await app.harness.simulator.configure { $0.loginDisplay = .text("The second") }
        let (second, _) = try await app.pushed()
        await app.door.execute(first)
        await app.door.execute(second)
        await app.door.execute(second)
        #expect(await app.news == [.displayed(.authentication, .text("Sign in to Example Bank"))])
        try await app.door.cancel()
        await app.wait(for: .displayed(.authentication, .text("The second")))
        #expect(
            await app.news == [
                .displayed(.authentication, .text("Sign in to Example Bank")),
                .aborted(.authentication),
                .displayed(.authentication, .text("The second")),
            ])
    }

    @Test func `the same command, running or waiting, is ignored`() async throws {
        let app = try await OneSpanApp.joined()
        await app.prefer(.wait)
        let first = try await app.site.login()
        let message = try #require(try await app.harness.pushes().first)
        let one = try OneSpanNotification.parseOneSpanNotification(message)
        await app.door.execute(one)
        await app.wait { $0.contains(where: \.isDisplay) }
        let second = try await app.site.login()
        let two = try OneSpanNotification.parseOneSpanNotification(
            try #require(try await app.harness.pushes().first))
        for command in [one, two, two, one, two] { await app.door.execute(command) }
        await app.prefer(.approve)
        try #require(await app.callers.first).onDataApproved()
        let end = OneSpanApp.Event.success(.authentication, .accepted, token: false)
        await app.wait { $0.filter { $0 == end }.count == 2 }
        #expect(await app.site.server.types.suffix(4) == [0x21, 0x23, 0x21, 0x23])
        #expect(await app.callers.count == 2)
        #expect(await app.site.status(first) == .accepted)
        #expect(await app.site.status(second) == .accepted)
    }

    @Test func `a request that waited a minute is dropped, and told`() async throws {
        let app = try await OneSpanApp.joined()
        await app.prefer(.wait)
        await app.site.tenant.configure { $0.sessionTimeout = .seconds(600) }
        _ = try await app.site.login()
        try await app.execute()
        await app.wait { $0.contains(where: \.isDisplay) }
        let second = try await app.site.login()
        try await app.execute()
        app.harness.pass(.seconds(61))
        try #require(await app.callers.first).onDataApproved()
        await app.wait(for: .warning(.requestTooOld))
        #expect(await app.callers.count == 1)
        #expect(await app.site.status(second) == .pending)
    }

    @Test func `deleting a user aborts what runs for them, and erases all`() async throws {
        let app = try await OneSpanApp.joined()
        await app.prefer(.wait)
        let request = try await app.site.login()
        try await app.execute()
        await app.wait { $0.contains(where: \.isDisplay) }
        let before = await app.site.server.types.count
        try await app.door.deleteUser(app.knownUser())
        await app.wait(for: .aborted(.authentication))
        #expect(await app.harness.store.credentials == 0)
        #expect(try await app.door.users().isEmpty)
        #expect(try await app.door.isUserActivated(OneSpanApp.user) == false)
        #expect(await app.site.server.types.count == before)
        #expect(await app.site.status(request) == .pending)
    }
}

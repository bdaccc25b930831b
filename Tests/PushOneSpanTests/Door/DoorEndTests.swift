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
        let bench = try await DoorBench.joined()
        let request = try await bench.site.login()
        let gate = Gate(letsCancelledPass: true)
        await bench.site.server.next(.holdReply(gate), at: 0x21)
        async let executing: Void = bench.execute()
        await gate.arrival()
        try await bench.door.cancel()
        await gate.open()
        _ = try await executing
        await bench.app.wait(for: .aborted(.authentication))
        #expect(await bench.site.server.commands(0x23).isEmpty)
        #expect(await bench.site.status(request) == .pending)
    }

    @Test func `cancelling while the user decides`() async throws {
        let bench = try await DoorBench.joined()
        await bench.app.prefer(.wait)
        let request = try await bench.site.transaction()
        try await bench.execute()
        await bench.app.wait { $0.contains(where: \.isDisplay) }
        try await bench.door.cancel()
        await bench.app.wait(for: .aborted(.transaction))
        try #require(await bench.app.callers.first).onDataApproved()
        #expect(await bench.site.server.commands(0x33).isEmpty)
        #expect(await bench.site.status(request) == .pending)
    }

    @Test func `cancelling while the user authenticates, by the app and by the user`()
        async throws
    {
        let bench = try await DoorBench.joined()
        let gate = Gate(letsCancelledPass: true)
        await bench.handset.user.think(at: gate)
        _ = try await bench.site.pinLogin()
        try await bench.execute()
        await gate.arrival()
        try await bench.door.cancel()
        await gate.open()
        await bench.app.wait(for: .aborted(.authentication))
        await bench.handset.user.think(at: nil)
        await bench.handset.user.giveUp()
        _ = try await bench.site.pinLogin()
        try await bench.execute()
        await bench.app.wait { $0.filter { $0 == .aborted(.authentication) }.count == 2 }
        #expect(await bench.site.server.commands(0x23).isEmpty)
    }

    @Test func `an answer under way can't be cancelled`() async throws {
        let bench = try await DoorBench.joined()
        let gate = Gate(letsCancelledPass: true)
        await bench.site.server.next(.holdReply(gate), at: 0x23)
        let request = try await bench.site.login()
        try await bench.execute()
        await gate.arrival()
        let error = try? await refusal { try await bench.door.cancel() }
        #expect(error?.oneSpan == .invalidState)
        await gate.open()
        await bench.app.wait(for: .success(.authentication, .accepted, token: false))
        #expect(await bench.site.status(request) == .accepted)
    }

    @Test func `with nothing running there is nothing to cancel`() async throws {
        let bench = try await DoorBench.joined()
        let error = try await refusal { try await bench.door.cancel() }
        #expect(error.oneSpan == .invalidState)
    }

    @Test func `time that runs out while the user decides ends the request`() async throws {
        let bench = try await DoorBench.joined()
        await bench.app.prefer(.wait)
        _ = try await bench.site.login()
        try await bench.execute()
        await bench.app.wait { $0.contains(where: \.isDisplay) }
        await bench.handset.watched.untilAsleep()
        bench.handset.pass(.seconds(61))
        await bench.app.wait(for: .outdated(.authentication, .expired))
        #expect(await bench.site.server.commands(0x23).isEmpty)
    }

    // MARK: Outdated, for each reason

    @Test(arguments: [
        SessionOutdatedReason.accepted, .refused, .expired, .unknown,
    ])
    func `an outdated session tells its reason`(reason: SessionOutdatedReason) async throws {
        let site = Site()
        let other = try await OneSpanHarness.joined(site, token: "token-b")
        let bench = try await DoorBench.joined(site)
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
        await bench.door.execute(
            try OneSpanNotification.parseOneSpanNotification(message))
        await bench.app.wait(for: .outdated(.authentication, reason))
        #expect(
            await !bench.app.events.contains { if case .error = $0 { true } else { false } })
    }

    // MARK: Queue

    @Test func `a fifth waiting request displaces the oldest, which is told`() async throws {
        let bench = try await DoorBench.joined()
        await bench.app.prefer(.wait)
        var requests = [try await bench.site.login()]
        try await bench.execute()
        await bench.app.wait { $0.contains(where: \.isDisplay) }
        for _ in 0..<5 { requests.append(try await bench.site.login()) }
        try await bench.execute()
        #expect(await bench.app.count(.warning(.requestDisplaced)) == 1)
        await bench.app.prefer(.approve)
        try #require(await bench.app.callers.first).onDataApproved()
        let end = DoorApp.Event.success(.authentication, .accepted, token: false)
        await bench.app.wait { $0.filter { $0 == end }.count == 5 }
        for (index, request) in requests.enumerated() {
            #expect(await bench.site.status(request) == (index == 1 ? .pending : .accepted))
        }
    }

    @Test func `the same command, running or waiting, is ignored`() async throws {
        let bench = try await DoorBench.joined()
        await bench.app.prefer(.wait)
        let first = try await bench.site.login()
        let message = try #require(try await bench.handset.pushes().first)
        let one = try OneSpanNotification.parseOneSpanNotification(message)
        await bench.door.execute(one)
        await bench.app.wait { $0.contains(where: \.isDisplay) }
        let second = try await bench.site.login()
        let two = try OneSpanNotification.parseOneSpanNotification(
            try #require(try await bench.handset.pushes().first))
        for command in [one, two, two, one, two] { await bench.door.execute(command) }
        await bench.app.prefer(.approve)
        try #require(await bench.app.callers.first).onDataApproved()
        let end = DoorApp.Event.success(.authentication, .accepted, token: false)
        await bench.app.wait { $0.filter { $0 == end }.count == 2 }
        #expect(await bench.site.server.types.suffix(4) == [0x21, 0x23, 0x21, 0x23])
        #expect(await bench.app.callers.count == 2)
        #expect(await bench.site.status(first) == .accepted)
        #expect(await bench.site.status(second) == .accepted)
    }

    @Test func `a request that waited a minute is dropped, and told`() async throws {
        let bench = try await DoorBench.joined()
        await bench.app.prefer(.wait)
        await bench.site.tenant.configure { $0.sessionTimeout = .seconds(600) }
        _ = try await bench.site.login()
        try await bench.execute()
        await bench.app.wait { $0.contains(where: \.isDisplay) }
        let second = try await bench.site.login()
        try await bench.execute()
        bench.handset.pass(.seconds(61))
        try #require(await bench.app.callers.first).onDataApproved()
        await bench.app.wait(for: .warning(.requestTooOld))
        #expect(await bench.app.callers.count == 1)
        #expect(await bench.site.status(second) == .pending)
    }

    @Test func `deleting a user aborts what runs for them, and erases all`() async throws {
        let bench = try await DoorBench.joined()
        await bench.app.prefer(.wait)
        let request = try await bench.site.login()
        try await bench.execute()
        await bench.app.wait { $0.contains(where: \.isDisplay) }
        let before = await bench.site.server.types.count
        try await bench.door.deleteUser(bench.knownUser())
        await bench.app.wait(for: .aborted(.authentication))
        #expect(await bench.handset.store.credentials == 0)
        #expect(try await bench.door.users().isEmpty)
        #expect(await bench.site.server.types.count == before)
        #expect(await bench.site.status(request) == .pending)
    }
}

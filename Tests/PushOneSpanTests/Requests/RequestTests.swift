import Foundation
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// Remote authentication and remote transaction by the uniform door.
@Suite struct RequestTests {
    @Test func `an approved login is accepted`() async throws {
        let world = try await World.activated()
        let (login, id) = try await world.login()
        let challenge = try await world.authenticator.challenge(id)
        #expect(challenge.prompt == .approve)
        #expect(challenge.fields.map(\.value) == ["Sign in to Example Bank"])
        #expect(challenge.verification == [[.pin]])
        #expect(
            try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.simulator.status(of: login.id) == .approved)
        // Fetch and answer: two round trips after the five of activation and registration.
        #expect(await world.sent == 7)
    }

    @Test func `a rejection needs no password, and is delivered`() async throws {
        let world = try await World.activated(user: ScriptedUser())
        let (login, id) = try await world.login()
        let challenge = try await world.authenticator.challenge(id)
        #expect(
            try await world.authenticator.resolve(challenge, with: .deny(.unexpected))
                == .delivered)
        #expect(try await world.simulator.status(of: login.id) == .denied)
        #expect(await world.user.requests.count == 1)
    }

    @Test func `a login can be denied unopened`() async throws {
        let world = try await World.activated()
        let (login, id) = try await world.login()
        #expect(try await world.authenticator.deny(id) == .delivered)
        #expect(try await world.simulator.status(of: login.id) == .denied)
    }

    @Test func `a login without authentication asks for the decision alone`() async throws {
        let world = try await World.activated()
        let (login, id) = try await world.login(.none)
        let challenge = try await world.authenticator.challenge(id)
        #expect(challenge.verification.isEmpty)
        #expect(
            try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.simulator.status(of: login.id) == .approved)
    }

    @Test func `biometry answers where it is asked for, and the password in its place`()
        async throws
    {
        let world = try await World.activated(hasBiometry: true)
        let (login, id) = try await world.login(.biometric)
        let challenge = try await world.authenticator.challenge(id)
        #expect(challenge.verification == [[.biometry], [.pin]])
        #expect(
            try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.simulator.status(of: login.id) == .approved)
    }

    @Test func `a transaction shows its fields in their order`() async throws {
        let world = try await World.activated()
        let login = try await world.simulator.startTransaction(
            of: World.name, fields: [.init("Amount", "100.00 EUR"), .init("To", "DE89")])
        let challenge = try await world.authenticator.challenge(try await world.received())
        #expect(challenge.fields == [.init("Amount", "100.00 EUR"), .init("To", "DE89")])
        let details = try #require(challenge.details(as: OneSpanRequest.self))
        #expect(details.kind == .transaction)
        #expect(details.requestID == login.id)
        #expect(
            try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.simulator.status(of: login.id) == .approved)
    }

    @Test func `three wrong passwords end the session`() async throws {
        let world = try await World.activated()
        let (login, id) = try await world.login()
        await world.user.will(enter: "000000")
        let challenge = try await world.authenticator.challenge(id)
        for left in [2, 1] {
            let outcome = try await world.authenticator.resolve(challenge, with: .approve)
            #expect(
                outcome
                    == .notTaken(
                        .init(
                            .verification, mayRetry: true, noCopyTaken: true, attemptsLeft: left)))
        }
        let last = try await world.authenticator.resolve(challenge, with: .approve)
        #expect(
            last
                == .notTaken(
                    .init(.verification, mayRetry: false, noCopyTaken: true, attemptsLeft: 0)))
        #expect(try await world.simulator.status(of: login.id) == .failed)
    }

    @Test func `after a wrong password the right one is taken, and so is a denial`() async throws {
        for denies in [false, true] {
            let world = try await World.activated()
            let (login, id) = try await world.login()
            await world.user.will(enter: "000000", "135790")
            let challenge = try await world.authenticator.challenge(id)
            _ = try await world.authenticator.resolve(challenge, with: .approve)
            let outcome = try await world.authenticator.resolve(
                challenge, with: denies ? .deny(.fraud) : .approve)
            #expect(outcome == .delivered)
            #expect(
                try await world.simulator.status(of: login.id) == (denies ? .denied : .approved))
        }
    }

    @Test(arguments: [DenyReason.unexpected, .fraud, .ignore, .custom("Not me")])
    func `every reason of a denial is a rejection to the server, and fraud raises the alarm here`(
        reason: DenyReason
    ) async throws {
        let world = try await World.activated()
        #expect(!world.provider.capabilities.contains(.denyReasons))
        let (login, id) = try await world.login()
        #expect(try await world.authenticator.deny(id, reason) == .delivered)
        let decision = try #require(await world.simulator.session(login.id)?.decision)
        #expect(!decision.isApproved)
        #expect(decision.method == .none)
        // The next one, which alone is no burst, is flagged after an alarm.
        _ = try await world.simulator.startLogin(of: World.name, asking: .confirm)
        let next = try #require(
            await world.authenticator.receive(try await world.push()).first)
        #expect((next.burst != nil) == (reason == .fraud))
    }

    @Test func `a request that another device answered is answered elsewhere`() async throws {
        let world = try await World.activated()
        let other = try World(sharing: world, isSameDevice: false)
        try await other.activate(token: .fcm("other"))
        await world.simulator.configure { $0.confirmMethod = .password }
        let login = try await world.simulator.startLogin(of: World.name, asking: .confirm)
        let pushes = await world.simulator.takePushes()
        var ids: [DeviceToken: Challenge.ID] = [:]
        for push in pushes {
            let here = push.deviceToken == World.token ? world : other
            let receptions = try await here.authenticator.receive(try push.message())
            ids[push.deviceToken] = receptions.first?.challenge
        }
        let mine = try #require(ids[World.token])
        let theirs = try #require(ids[.fcm("other")])
        let challenge = try await world.authenticator.challenge(mine)
        #expect(try await other.authenticator.deny(theirs) == .delivered)
        #expect(
            try await world.authenticator.resolve(challenge, with: .approve)
                == .answeredElsewhere)
        #expect(try await world.simulator.status(of: login.id) == .denied)
    }

    @Test func `a request that is over can't be opened any more`() async throws {
        let world = try await World.activated()
        let other = try World(sharing: world, isSameDevice: false)
        try await other.activate(token: .fcm("other"))
        _ = try await world.simulator.startLogin(of: World.name, asking: .confirm)
        for push in await world.simulator.takePushes() where push.deviceToken != World.token {
            let receptions = try await other.authenticator.receive(try push.message())
            _ = try await other.authenticator.deny(try #require(receptions.first?.challenge))
        }
        _ = try await world.simulator.startLogin(of: World.name, asking: .confirm)
        let push = try #require(
            await world.simulator.takePushes().first { $0.deviceToken == World.token })
        world.clock.advance(by: .seconds(59))
        let id = try #require(
            await world.authenticator.receive(try push.message()).first?.challenge)
        world.clock.advance(by: .seconds(2))
        let error = try await refusal { _ = try await world.authenticator.challenge(id) }
        #expect(error.code == .over)
        #expect(error.oneSpan == .outdated(.expired))
        #expect(error.ends == .expired)
    }

    @Test func `a session that expired while deciding is expired`() async throws {
        let world = try await World.activated()
        let (_, id) = try await world.login()
        let challenge = try await world.authenticator.challenge(id)
        world.clock.advance(by: .seconds(61))
        let error = try await refusal {
            _ = try await world.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .over)
    }

    @Test(arguments: [-3_600.0, 3_600, -1_767_225_000])
    func `a wrong clock on the device changes nothing`(offset: Double) async throws {
        let world = try await World.activated()
        let (login, id) = try await world.login()
        world.clock.set(world.clock.now + offset)
        await world.simulator.configure { [clock = world.clock] in
            $0.clock = Shifted(clock: clock, by: -offset)
        }
        let challenge = try await world.authenticator.challenge(id)
        #expect(
            try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.simulator.status(of: login.id) == .approved)
    }

    @Test func `the same push twice is one challenge`() async throws {
        let world = try await World.activated()
        _ = try await world.simulator.startLogin(of: World.name, asking: .confirm)
        let push = try await world.push()
        #expect(try await world.authenticator.receive(push).map(\.isNew) == [true])
        #expect(try await world.authenticator.receive(push).map(\.isNew) == [false])
        let command = try world.command(push)
        let relayed = PushMessage(text: command.hex.lowercased(), by: .scanned)
        #expect(try await world.authenticator.receive(relayed).map(\.isNew) == [false])
    }

    @Test func `the title of a push is nobody's word`() async throws {
        let world = try await World.activated()
        _ = try await world.simulator.startLogin(of: World.name, asking: .confirm)
        let push = try await world.push()
        #expect(try OneSpanNotification.getTitle(push) == "Login Request")
        guard
            case .notice(let announcement) = try await world.provider.candidate(in: push)?
                .verified()
        else {
            Issue.record("A push announces a request.")
            return
        }
        #expect(announcement.notice.title == nil)
        #expect(announcement.notice.body == nil)
        #expect(announcement.notice.proof == .mac)
    }
}

/// A clock whose date is another one's, moved; its time passes as that one's does.
struct Shifted: PushClock {
    let clock: ManualClock
    let offset: Double

    init(clock: ManualClock, by offset: Double) {
        self.clock = clock
        self.offset = offset
    }

    var now: Date { clock.now + offset }
    var elapsed: Duration { clock.elapsed }
    var servers: ServerTime { clock.servers }
    func sleep(for duration: Duration) async { await clock.sleep(for: duration) }
}

import Foundation
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// Remote authentication and remote transaction by the uniform door.
@Suite struct RequestTests {
    @Test func `an approved login is accepted`() async throws {
        let harness = try await OneSpanHarness.activated()
        let (login, id) = try await harness.login()
        let challenge = try await harness.authenticator.challenge(id)
        #expect(challenge.prompt == .approve)
        #expect(challenge.fields.map(\.value) == ["Sign in to Example Bank"])
        #expect(challenge.verification == [[.pin]])
        #expect(
            try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .approved)
        // Fetch and answer: two round trips after the five of activation and registration.
        #expect(await harness.sent == 7)
    }

    @Test func `a rejection needs no password, and is delivered`() async throws {
        let harness = try await OneSpanHarness.activated(user: ScriptedUser())
        let (login, id) = try await harness.login()
        let challenge = try await harness.authenticator.challenge(id)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .deny(.unexpected))
                == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .denied)
        #expect(await harness.user.requests.count == 1)
    }

    @Test func `a login can be denied unopened`() async throws {
        let harness = try await OneSpanHarness.activated()
        let (login, id) = try await harness.login()
        #expect(try await harness.authenticator.deny(id) == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .denied)
    }

    @Test func `a login without authentication asks for the decision alone`() async throws {
        let harness = try await OneSpanHarness.activated()
        let (login, id) = try await harness.login(.none)
        let challenge = try await harness.authenticator.challenge(id)
        #expect(challenge.verification.isEmpty)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .approved)
    }

    @Test func `biometry answers where it is asked for, and the password in its place`()
        async throws
    {
        let harness = try await OneSpanHarness.activated(hasBiometry: true)
        let (login, id) = try await harness.login(.biometric)
        let challenge = try await harness.authenticator.challenge(id)
        #expect(challenge.verification == [[.biometry], [.pin]])
        #expect(
            try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .approved)
    }

    @Test func `a transaction shows its fields in their order`() async throws {
        let harness = try await OneSpanHarness.activated()
        let login = try await harness.simulator.startTransaction(
            of: OneSpanHarness.name, fields: [.init("Amount", "100.00 EUR"), .init("To", "DE89")])
        let challenge = try await harness.authenticator.challenge(try await harness.received())
        #expect(challenge.fields == [.init("Amount", "100.00 EUR"), .init("To", "DE89")])
        let details = try #require(challenge.details(as: OneSpanRequest.self))
        #expect(details.kind == .transaction)
        #expect(details.requestID == login.id)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .approved)
    }

    @Test func `three wrong passwords end the session`() async throws {
        let harness = try await OneSpanHarness.activated()
        let (login, id) = try await harness.login()
        await harness.user.type("000000")
        let challenge = try await harness.authenticator.challenge(id)
        for left in [2, 1] {
            let outcome = try await harness.authenticator.resolve(challenge, with: .approve)
            #expect(
                outcome
                    == .notTaken(
                        .init(
                            .verification, mayRetry: true, appliesToAllCopies: true,
                            attemptsLeft: left)))
        }
        let last = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(
            last
                == .notTaken(
                    .init(.verification, mayRetry: false, appliesToAllCopies: true, attemptsLeft: 0)
                ))
        #expect(try await harness.simulator.status(of: login.id) == .failed)
    }

    @Test func `after a wrong password the right one is taken, and so is a denial`() async throws {
        for denies in [false, true] {
            let harness = try await OneSpanHarness.activated()
            let (login, id) = try await harness.login()
            await harness.user.type("000000", "135790")
            let challenge = try await harness.authenticator.challenge(id)
            _ = try await harness.authenticator.resolve(challenge, with: .approve)
            let outcome = try await harness.authenticator.resolve(
                challenge, with: denies ? .deny(.fraud) : .approve)
            #expect(outcome == .delivered)
            #expect(
                try await harness.simulator.status(of: login.id) == (denies ? .denied : .approved))
        }
    }

    @Test(arguments: [DenyReason.unexpected, .fraud, .ignore, .custom("Not me")])
    func `every reason of a denial is a rejection to the server, and fraud raises the alarm here`(
        reason: DenyReason
    ) async throws {
        let harness = try await OneSpanHarness.activated()
        #expect(!harness.provider.capabilities.contains(.denyReasons))
        let (login, id) = try await harness.login()
        #expect(try await harness.authenticator.deny(id, reason) == .delivered)
        let decision = try #require(await harness.simulator.session(login.id)?.decision)
        #expect(!decision.isApproved)
        #expect(decision.method == .none)
        // The next one, which alone is no burst, is flagged after an alarm.
        _ = try await harness.simulator.startLogin(of: OneSpanHarness.name, asking: .confirm)
        let next = try #require(
            await harness.authenticator.receive(try await harness.push()).first)
        #expect((next.burst != nil) == (reason == .fraud))
    }

    @Test func `a request that another device answered is answered elsewhere`() async throws {
        let harness = try await OneSpanHarness.activated()
        let other = try OneSpanHarness(sharing: harness, isSameDevice: false)
        try await other.activate(token: .fcm("other"))
        await harness.simulator.configure { $0.confirmMethod = .password }
        let login = try await harness.simulator.startLogin(
            of: OneSpanHarness.name, asking: .confirm)
        let pushes = await harness.simulator.takePushes()
        var ids: [DeviceToken: Challenge.ID] = [:]
        for push in pushes {
            let here = push.deviceToken == OneSpanHarness.token ? harness : other
            let receptions = try await here.authenticator.receive(try push.message())
            ids[push.deviceToken] = receptions.first?.challenge
        }
        let mine = try #require(ids[OneSpanHarness.token])
        let theirs = try #require(ids[.fcm("other")])
        let challenge = try await harness.authenticator.challenge(mine)
        #expect(try await other.authenticator.deny(theirs) == .delivered)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .approve)
                == .answeredElsewhere)
        #expect(try await harness.simulator.status(of: login.id) == .denied)
    }

    @Test func `a request that is over can't be opened any more`() async throws {
        let harness = try await OneSpanHarness.activated()
        let other = try OneSpanHarness(sharing: harness, isSameDevice: false)
        try await other.activate(token: .fcm("other"))
        _ = try await harness.simulator.startLogin(of: OneSpanHarness.name, asking: .confirm)
        for push in await harness.simulator.takePushes()
        where push.deviceToken != OneSpanHarness.token {
            let receptions = try await other.authenticator.receive(try push.message())
            _ = try await other.authenticator.deny(try #require(receptions.first?.challenge))
        }
        _ = try await harness.simulator.startLogin(of: OneSpanHarness.name, asking: .confirm)
        let push = try #require(
            await harness.simulator.takePushes().first { $0.deviceToken == OneSpanHarness.token })
        harness.clock.advance(by: .seconds(59))
        let id = try #require(
            await harness.authenticator.receive(try push.message()).first?.challenge)
        harness.clock.advance(by: .seconds(2))
        let error = try await refusal { _ = try await harness.authenticator.challenge(id) }
        #expect(error.code == .over)
        #expect(error.oneSpan == .outdated(.expired))
        #expect(error.ends == .expired)
    }

    @Test func `a session that expired while deciding is expired`() async throws {
        let harness = try await OneSpanHarness.activated()
        let (_, id) = try await harness.login()
        let challenge = try await harness.authenticator.challenge(id)
        harness.clock.advance(by: .seconds(61))
        let error = try await refusal {
            _ = try await harness.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .over)
    }

    @Test(arguments: [-3_600.0, 3_600, -1_767_225_000])
    func `a wrong clock on the device changes nothing`(offset: Double) async throws {
        let harness = try await OneSpanHarness.activated()
        let (login, id) = try await harness.login()
        harness.clock.set(harness.clock.now + offset)
        await harness.simulator.configure { [clock = harness.clock] in
            $0.clock = StagedClock(clock, ahead: -offset)
        }
        let challenge = try await harness.authenticator.challenge(id)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .approved)
    }

    @Test func `the same push twice is one challenge`() async throws {
        let harness = try await OneSpanHarness.activated()
        _ = try await harness.simulator.startLogin(of: OneSpanHarness.name, asking: .confirm)
        let push = try await harness.push()
        #expect(try await harness.authenticator.receive(push).map(\.isNew) == [true])
        #expect(try await harness.authenticator.receive(push).map(\.isNew) == [false])
        let command = try harness.command(push)
        let relayed = PushMessage(text: command.hex.lowercased(), by: .scanned)
        #expect(try await harness.authenticator.receive(relayed).map(\.isNew) == [false])
    }

    @Test func `the title of a push is nobody's word`() async throws {
        let harness = try await OneSpanHarness.activated()
        _ = try await harness.simulator.startLogin(of: OneSpanHarness.name, asking: .confirm)
        let push = try await harness.push()
        #expect(try OneSpanNotification.getTitle(push) == "Login Request")
        guard
            case .notice(let announcement) = try await harness.provider.candidate(in: push)?
                .verified(with: harness.provider.accounts)
        else {
            Issue.record("A push announces a request.")
            return
        }
        #expect(announcement.notice.title == nil)
        #expect(announcement.notice.body == nil)
        #expect(announcement.notice.proof == .mac)
    }
}

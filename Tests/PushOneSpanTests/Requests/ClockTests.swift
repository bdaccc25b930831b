import Foundation
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// The device's wall clock decides nothing:
/// `docs/vendors/onespan-ooc.md#8-what-every-command-goes-through`.
@Suite(.timeLimit(.minutes(10))) struct ClockTests {
    /// Clocks that are wrong: by an hour, and very much.
    static let walls = [
        Site.start + 3_600, Site.start - 3_600, Date(timeIntervalSince1970: 0),
        Date(timeIntervalSince1970: 4_000_000_000),
    ]

    private func setup(_ wall: Date) -> OneSpanHarness.Setup {
        var setup = OneSpanHarness.Setup()
        setup.wall = wall
        return setup
    }

    /// Approves, and lets time pass while the user is at the keypad.
    private func approve(
        _ challenge: Challenge, on handset: OneSpanHarness, after thought: Duration
    ) async -> Result<Outcome, PushError> {
        let gate = Gate(letsCancelledPass: true)
        await handset.user.think(at: gate)
        let answering = Task {
            await Result { () async throws(PushError) in
                try await handset.authenticator.resolve(challenge, with: .approve)
            }
        }
        await gate.arrival()
        handset.pass(thought)
        await gate.open()
        return await answering.value
    }

    @Test(arguments: walls)
    func `everything works with a wrong clock`(wall: Date) async throws {
        let handset = try await OneSpanHarness.joined(setup: setup(wall))
        let site = handset.site
        let login = try await site.pinLogin()
        #expect(try await handset.approve(login) == .delivered)
        let transaction = try await site.transaction()
        #expect(try await handset.deny(transaction) == .delivered)
        try await handset.authenticator.deviceTokenChanged(.fcm("later"))
        #expect(try await handset.device().deviceToken == .fcm("later"))
    }

    @Test(arguments: walls)
    func `so it does in a process that has heard nothing of the server's time`(
        wall: Date
    ) async throws {
        let handset = try await OneSpanHarness.joined(setup: setup(wall))
        let request = try await handset.site.pinLogin()
        let later = try await handset.restarted()
        let receptions = try await later.receive()
        guard case .notice(_, let validity) = receptions.first?.kind else {
            Issue.record("A genuine command announces a request.")
            return
        }
        #expect(validity != .expired)
        #expect(try await later.approve(request) == .delivered)
    }

    @Test func `a clock that jumps while the user thinks changes nothing`() async throws {
        let handset = try await OneSpanHarness.joined()
        let request = try await handset.site.pinLogin()
        let challenge = try await handset.open(request)
        handset.clock.set(.distantPast)
        handset.pass(.seconds(20))
        handset.clock.set(Site.start + 86_400)
        handset.pass(.seconds(20))
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `time that really passed ends a request, and nothing is sent`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        let challenge = try await handset.open(request)
        handset.pass(.seconds(61))
        let result = await Result { () async throws(PushError) in
            try await handset.authenticator.resolve(challenge, with: .approve)
        }
        switch result {
        case .success(let outcome): #expect(outcome == .expired)
        case .failure(let error): #expect(error.code == .over)
        }
        #expect(await site.server.types == [0x21])
    }

    @Test func `after a wrong PIN the same time runs on`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let challenge = try await handset.open(try await site.pinLogin())
        await handset.user.type(Sample.wrongPIN)
        _ = try await handset.authenticator.resolve(challenge, with: .approve)
        await handset.user.type(Sample.pin)
        let result = await approve(challenge, on: handset, after: .seconds(61))
        let error = try await refusal { _ = try result.get() }
        #expect(error.code == .over)
        #expect(await site.server.types == [0x21, 0x23])
    }

    @Test func `time that passes at the keypad ends a request, too`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        let challenge = try await handset.open(request)
        switch await approve(challenge, on: handset, after: .seconds(61)) {
        case .success(let outcome): #expect(outcome == .expired)
        case .failure(let error): #expect(error.code == .over)
        }
        #expect(await site.server.types == [0x21])
        #expect(await site.status(request) == .timeout)
    }

    @Test func `a push that came late is the server's to judge`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.tenant.startLogin(
            of: Sample.user, asking: .confirm, spoiledBy: .expired(ago: .seconds(120))
        ).id
        #expect(try await handset.receive().count == 1)
        let challenge = try await handset.authenticator.challenge(handset.id(request))
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `an old push is over once the server's time is known, or once it is asked`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.login()
        handset.pass(.seconds(600))
        let later = try await handset.restarted()
        try await later.receive()
        let error = try await refusal {
            _ = try await later.authenticator.challenge(later.id(request))
        }
        #expect(error.code == .over)
        #expect(Set(await site.server.types).isSubset(of: [0x21]))
    }

    @Test func `the time left counts from the challenge's arrival`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        site.time.advance(by: .seconds(30))
        let challenge = try await handset.open(request)
        // 22's notAfter is the session's: what is left of it, by the server's own two times.
        handset.clock.advance(by: .seconds(29))
        site.time.advance(by: .seconds(29))
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
    }
}

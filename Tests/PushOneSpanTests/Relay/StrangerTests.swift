import Foundation
import PushCore
import PushOneSpan
import PushOneSpanReference
import PushOneSpanSimulator
import PushTesting
import Testing

/// A stranger's status, and a genuine command in the wrong place, are nobody's word.
@Suite struct StrangerTests {
    static let strangers: [Gateway.Stranger] =
        [400, 401, 403, 404, 409, 418, 422, 500].flatMap { status -> [Gateway.Stranger] in
            [
                .init(status: status, body: "<html><body>\(status)</body></html>"),
                .init(status: status, body: "", isAfterwards: false),
            ]
        } + [
            .init(status: 200, body: "<html>Sign in to the network</html>"),
            .init(status: 204, body: ""),
            .init(status: 404, body: #"{"error":"not_found"}"#),
            .init(status: 409, body: #"{"errorCategory":"session","errorCode":-1400}"#),
            .init(status: 409, body: #"{"errorCode":-1400,"command":""}"#),
            .init(status: 200, body: #"{"command":"4F4F4331"}"#),
            .init(status: 200, body: #"["4F4F4331"]"#),
        ]

    /// A harness with an open login that asks for no password.
    private func opened() async throws -> (OneSpanHarness, SimulatedLogin, Challenge) {
        let harness = try await OneSpanHarness.activated()
        let (login, id) = try await harness.login(.none)
        return (harness, login, try await harness.authenticator.challenge(id))
    }

    private func resolve(
        _ harness: OneSpanHarness, _ challenge: Challenge, _ resolution: Resolution
    ) async -> Result<Outcome, PushError> {
        await Result { () async throws(PushError) in
            try await harness.authenticator.resolve(challenge, with: resolution)
        }
    }

    /// Denies, then tries to approve, while a stranger answers; the denial is what the server gets.
    private func check(
        _ stranger: Gateway.Stranger, _ harness: OneSpanHarness, _ login: SimulatedLogin,
        _ challenge: Challenge, isSecondCopy: Bool
    ) async throws {
        if isSecondCopy {
            await harness.faults.next(.dropBefore)
            _ = await resolve(harness, challenge, .deny(.fraud))
        }
        await harness.gateway.answer(as: stranger)
        switch await resolve(harness, challenge, .deny(.fraud)) {
        case .success(.unknown): break
        case .success(let outcome): Issue.record("\(outcome) is a stranger's word.")
        case .failure(let error): #expect(error.code == .server(status: stranger.status))
        }
        switch await resolve(harness, challenge, .approve) {
        case .success(let outcome): Issue.record("The denial stands, but: \(outcome)")
        case .failure(let error):
            let isStanding = error.code == .decidedOtherwise(.deny(.fraud))
            #expect(isStanding || error.code == .server(status: stranger.status))
        }
        #expect(
            try await harness.authenticator.record(of: challenge.id)?.state
                == .decided(.deny(.fraud)))
        await harness.gateway.answer(as: nil)
        _ = try await harness.authenticator.resume()
        guard
            case .answered(.deny(.fraud), _) = try await harness.authenticator.record(
                of: challenge.id)?.state
        else {
            Issue.record("The denial is answered.")
            return
        }
        #expect(try await harness.simulator.status(of: login.id) == .denied)
    }

    @Test(arguments: strangers, [false, true])
    func `a stranger's reply to a denial leaves it on record, and no approval follows`(
        stranger: Gateway.Stranger, isSecondCopy: Bool
    ) async throws {
        let (harness, login, challenge) = try await opened()
        try await check(stranger, harness, login, challenge, isSecondCopy: isSecondCopy)
    }

    @Test(arguments: [400, 403, 409, 500])
    func `nor does one that comes after the server has taken the denial`(
        status: Int
    ) async throws {
        let (harness, login, challenge) = try await opened()
        let stranger = Gateway.Stranger(
            status: status, body: "<html></html>", isAfterwards: true)
        try await check(stranger, harness, login, challenge, isSecondCopy: false)
    }

    @Test(arguments: [200, 409])
    func `a command sealed for another device is no reply`(status: Int) async throws {
        let (harness, login, challenge) = try await opened()
        let other = try OneSpanHarness(sharing: harness, isSameDevice: false)
        let offers = try other.authenticator.offers(
            for: try await harness.simulator.invitation(for: "bob"))
        let theirs = try await other.authenticator.enroll(try #require(offers.first)).id
        await harness.simulator.removeDevices(of: "bob")
        _ = try? await other.authenticator.deviceTokenChanged(.fcm("later"))
        // The sealed word that the other device is removed.
        let reply = try #require(await harness.simulator.exchanges.last)
        #expect(reply.status == 409)
        #expect(try await other.authenticator.enrollment(theirs)?.state == .needsReenrollment)
        let stranger = Gateway.Stranger(
            status: status, body: String(decoding: reply.responseBody, as: UTF8.self))
        await harness.gateway.answer(as: stranger)
        guard case .success(.unknown) = await resolve(harness, challenge, .deny(.fraud)) else {
            Issue.record("It says nothing of this device.")
            return
        }
        #expect(try await harness.enrollment().state == .active)
        await harness.gateway.answer(as: nil)
        #expect(try await harness.authenticator.resume() == [challenge.id: .delivered])
        #expect(try await harness.simulator.status(of: login.id) == .denied)
    }

    @Test func `a request in place of a reply is no reply, and isn't answered in its place`()
        async throws
    {
        let (harness, login, challenge) = try await opened()
        let other = try await harness.simulator.startLogin(
            of: OneSpanHarness.name, asking: .confirm)
        let trigger = try harness.command(try await harness.push())
        let sent = await harness.sent
        await harness.gateway.answer(
            as: .init(status: 200, body: #"{"command":"\#(trigger.hex)"}"#, isAfterwards: false))
        guard case .success(.unknown) = await resolve(harness, challenge, .deny(.fraud)) else {
            Issue.record("A request says nothing of this denial.")
            return
        }
        await harness.gateway.answer(as: nil)
        #expect(await harness.sent == sent)
        #expect(try await harness.simulator.status(of: other.id) == .waiting)
        #expect(try await harness.authenticator.resume() == [challenge.id: .delivered])
        #expect(try await harness.simulator.status(of: login.id) == .denied)
        #expect(try await harness.simulator.status(of: other.id) == .waiting)
    }

    @Test func `the reply to another user's answer is no reply to this one`() async throws {
        let (harness, login, challenge) = try await opened()
        let offers = try harness.authenticator.offers(
            for: try await harness.simulator.invitation(for: "bob"))
        _ = try await harness.authenticator.enroll(try #require(offers.first))
        let theirLogin = try await harness.simulator.startLogin(of: "bob", asking: .confirm)
        let theirs = try await harness.authenticator.challenge(try await harness.received())
        await harness.gateway.exchangeReplies()
        async let mine = resolve(harness, challenge, .deny(.fraud))
        async let other = resolve(harness, theirs, .approve)
        for result in await [mine, other] {
            guard case .success(.unknown) = result else {
                Issue.record("The reply was another answer's: \(result)")
                return
            }
        }
        #expect(
            try await harness.authenticator.resume()
                == [challenge.id: .delivered, theirs.id: .delivered])
        #expect(try await harness.simulator.status(of: login.id) == .denied)
        #expect(try await harness.simulator.status(of: theirLogin.id) == .approved)
    }

    @Test func `a sealed word that the password was wrong is about every copy of the answer`()
        async throws
    {
        let harness = try await OneSpanHarness.activated()
        let (login, id) = try await harness.login()
        await harness.user.type("000000", ScriptedUser.password)
        let challenge = try await harness.authenticator.challenge(id)
        await harness.faults.next(.dropAfter)
        guard case .success(.unknown) = await resolve(harness, challenge, .approve) else {
            Issue.record("Nobody knows yet.")
            return
        }
        let wrong = Outcome.notTaken(
            .init(.verification, mayRetry: true, appliesToAllCopies: true, attemptsLeft: 2))
        #expect(try await harness.authenticator.resume() == [id: wrong])
        #expect(try await harness.authenticator.record(of: id)?.state == .open)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .approved)
    }

    @Test func `an engine that doesn't promise that speaks of the one copy alone`() async throws {
        let harness = try await OneSpanHarness.activated()
        let gate = Gate(letsCancelledPass: true)
        await gate.open()
        let (provider, environment) = try harness.gated(by: gate, over: harness.gateway)
        let authenticator = PushAuthenticator(try PluginRegistry([provider]), in: environment)
        await harness.user.type("000000")
        await harness.simulator.configure { $0.confirmMethod = .password }
        _ = try await harness.simulator.startLogin(of: OneSpanHarness.name, asking: .confirm)
        let id = try #require(
            await authenticator.receive(try await harness.push()).first?.challenge)
        let challenge = try await authenticator.challenge(id)
        await harness.faults.next(.dropAfter)
        _ = try await authenticator.resolve(challenge, with: .approve)
        // However often it is sent, always with the same bytes.
        for _ in 0..<3 {
            guard case .unknown? = try await authenticator.resume()[id] else {
                Issue.record("An earlier copy may have been taken.")
                return
            }
            #expect(try await authenticator.record(of: id)?.state == .decided(.approve))
        }
        #expect(Set(try await harness.commands().suffix(4)).count == 1)
    }
}

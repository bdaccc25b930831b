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

    /// A world with an open login that asks for no password.
    private func opened() async throws -> (World, SimulatedLogin, Challenge) {
        let world = try await World.activated()
        let (login, id) = try await world.login(.none)
        return (world, login, try await world.authenticator.challenge(id))
    }

    private func resolve(
        _ world: World, _ challenge: Challenge, _ resolution: Resolution
    ) async -> Result<Outcome, PushError> {
        await Result { () async throws(PushError) in
            try await world.authenticator.resolve(challenge, with: resolution)
        }
    }

    /// Denies, then tries to approve, while a stranger answers; the denial is what the server gets.
    private func check(
        _ stranger: Gateway.Stranger, _ world: World, _ login: SimulatedLogin,
        _ challenge: Challenge, isSecondCopy: Bool
    ) async throws {
        if isSecondCopy {
            await world.faults.next(.dropBefore)
            _ = await resolve(world, challenge, .deny(.fraud))
        }
        await world.gateway.answer(as: stranger)
        switch await resolve(world, challenge, .deny(.fraud)) {
        case .success(.unknown): break
        case .success(let outcome): Issue.record("\(outcome) is a stranger's word.")
        case .failure(let error): #expect(error.code == .server(status: stranger.status))
        }
        switch await resolve(world, challenge, .approve) {
        case .success(let outcome): Issue.record("The denial stands, but: \(outcome)")
        case .failure(let error):
            let isStanding = error.code == .decidedOtherwise(.deny(.fraud))
            #expect(isStanding || error.code == .server(status: stranger.status))
        }
        #expect(
            try await world.authenticator.record(of: challenge.id)?.state
                == .decided(.deny(.fraud)))
        await world.gateway.answer(as: nil)
        _ = try await world.authenticator.resume()
        guard
            case .answered(.deny(.fraud), _) = try await world.authenticator.record(
                of: challenge.id)?.state
        else {
            Issue.record("The denial is answered.")
            return
        }
        #expect(try await world.simulator.status(of: login.id) == .denied)
    }

    @Test(arguments: strangers, [false, true])
    func `a stranger's reply to a denial leaves it on record, and no approval follows`(
        stranger: Gateway.Stranger, isSecondCopy: Bool
    ) async throws {
        let (world, login, challenge) = try await opened()
        try await check(stranger, world, login, challenge, isSecondCopy: isSecondCopy)
    }

    @Test(arguments: [400, 403, 409, 500])
    func `nor does one that comes after the server has taken the denial`(
        status: Int
    ) async throws {
        let (world, login, challenge) = try await opened()
        let stranger = Gateway.Stranger(
            status: status, body: "<html></html>", isAfterwards: true)
        try await check(stranger, world, login, challenge, isSecondCopy: false)
    }

    @Test(arguments: [200, 409])
    func `a command sealed for another device is no reply`(status: Int) async throws {
        let (world, login, challenge) = try await opened()
        let other = try World(sharing: world, isSameDevice: false)
        let offers = try other.authenticator.offers(
            for: try await world.simulator.invitation(for: "bob"))
        let theirs = try await other.authenticator.enroll(try #require(offers.first)).id
        await world.simulator.removeDevices(of: "bob")
        _ = try? await other.authenticator.deviceTokenChanged(.fcm("later"))
        // The sealed word that the other device is removed.
        let reply = try #require(await world.simulator.exchanges.last)
        #expect(reply.status == 409)
        #expect(try await other.authenticator.enrollment(theirs)?.state == .needsReenrollment)
        let stranger = Gateway.Stranger(
            status: status, body: String(decoding: reply.responseBody, as: UTF8.self))
        await world.gateway.answer(as: stranger)
        guard case .success(.unknown) = await resolve(world, challenge, .deny(.fraud)) else {
            Issue.record("It says nothing of this device.")
            return
        }
        #expect(try await world.enrollment().state == .active)
        await world.gateway.answer(as: nil)
        #expect(try await world.authenticator.resume() == [challenge.id: .delivered])
        #expect(try await world.simulator.status(of: login.id) == .denied)
    }

    @Test func `a request in place of a reply is no reply, and isn't answered in its place`()
        async throws
    {
        let (world, login, challenge) = try await opened()
        let other = try await world.simulator.startLogin(of: World.name, asking: .confirm)
        let trigger = try world.command(try await world.push())
        let sent = await world.sent
        await world.gateway.answer(
            as: .init(status: 200, body: #"{"command":"\#(trigger.hex)"}"#, isAfterwards: false))
        guard case .success(.unknown) = await resolve(world, challenge, .deny(.fraud)) else {
            Issue.record("A request says nothing of this denial.")
            return
        }
        await world.gateway.answer(as: nil)
        #expect(await world.sent == sent)
        #expect(try await world.simulator.status(of: other.id) == .waiting)
        #expect(try await world.authenticator.resume() == [challenge.id: .delivered])
        #expect(try await world.simulator.status(of: login.id) == .denied)
        #expect(try await world.simulator.status(of: other.id) == .waiting)
    }

    @Test func `the reply to another user's answer is no reply to this one`() async throws {
        let (world, login, challenge) = try await opened()
        let offers = try world.authenticator.offers(
            for: try await world.simulator.invitation(for: "bob"))
        _ = try await world.authenticator.enroll(try #require(offers.first))
        let theirLogin = try await world.simulator.startLogin(of: "bob", asking: .confirm)
        let theirs = try await world.authenticator.challenge(try await world.received())
        await world.gateway.exchangeReplies()
        async let mine = resolve(world, challenge, .deny(.fraud))
        async let other = resolve(world, theirs, .approve)
        for result in await [mine, other] {
            guard case .success(.unknown) = result else {
                Issue.record("The reply was another answer's: \(result)")
                return
            }
        }
        #expect(
            try await world.authenticator.resume()
                == [challenge.id: .delivered, theirs.id: .delivered])
        #expect(try await world.simulator.status(of: login.id) == .denied)
        #expect(try await world.simulator.status(of: theirLogin.id) == .approved)
    }

    @Test func `a sealed word that the password was wrong is about every copy of the answer`()
        async throws
    {
        let world = try await World.activated()
        let (login, id) = try await world.login()
        await world.user.will(enter: "000000", ScriptedUser.password)
        let challenge = try await world.authenticator.challenge(id)
        await world.faults.next(.dropAfter)
        guard case .success(.unknown) = await resolve(world, challenge, .approve) else {
            Issue.record("Nobody knows yet.")
            return
        }
        let wrong = Outcome.notTaken(
            .init(.verification, mayRetry: true, noCopyTaken: true, attemptsLeft: 2))
        #expect(try await world.authenticator.resume() == [id: wrong])
        #expect(try await world.authenticator.record(of: id)?.state == .open)
        #expect(
            try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.simulator.status(of: login.id) == .approved)
    }

    @Test func `an engine that doesn't promise that speaks of the one copy alone`() async throws {
        let world = try await World.activated()
        let gate = Gate(letsCancelledPass: true)
        await gate.open()
        let environment = Environment(
            transport: world.gateway, store: world.store, verifier: world.user,
            clock: world.clock, device: Device(name: "Phone", platform: .android))
        let provider = OneSpan(
            engine: GatedEngine(engine: world.engine, gate: gate),
            relay: HTTPCommandRelay(
                try Endpoint("https://app.example.com/commands"), in: environment),
            configuration: .init(identifiers: OpenNotificationIdentifiers()), in: environment)
        let authenticator = PushAuthenticator(try PluginRegistry([provider]), in: environment)
        await world.user.will(enter: "000000")
        await world.simulator.configure { $0.confirmMethod = .password }
        _ = try await world.simulator.startLogin(of: World.name, asking: .confirm)
        let id = try #require(
            await authenticator.receive(try await world.push()).first?.challenge)
        let challenge = try await authenticator.challenge(id)
        await world.faults.next(.dropAfter)
        _ = try await authenticator.resolve(challenge, with: .approve)
        // However often it is sent, always with the same bytes.
        for _ in 0..<3 {
            guard case .unknown? = try await authenticator.resume()[id] else {
                Issue.record("An earlier copy may have been taken.")
                return
            }
            #expect(try await authenticator.record(of: id)?.state == .decided(.approve))
        }
        #expect(Set(try await world.commands().suffix(4)).count == 1)
    }
}

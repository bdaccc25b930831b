import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// What the way to the customer's server may do to a command:
/// `docs/vendors/onespan.md#the-customers-server`.
@Suite(.timeLimit(.minutes(10))) struct RelayFaultTests {
    /// How a command gets no reply the first time.
    enum Loss: CaseIterable, Sendable { case before, after, garbage }

    static func deed(_ loss: Loss) -> CustomerServer.Deed {
        switch loss {
        case .before: .refuse
        case .after: .lose
        case .garbage: .invent(status: 502, "<html>Bad gateway</html>")
        }
    }

    private static var patient: OneSpanHarness.Setup {
        var setup = OneSpanHarness.Setup()
        setup.tries = 3
        return setup
    }

    @Test(arguments: [UInt8(0x01), 0x03, 0x05, 0x07, 0x10], Loss.allCases)
    func `an activation goes on with the very bytes whose reply was lost`(
        type: UInt8, loss: Loss
    ) async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site, setup: Self.patient)
        await site.server.next(Self.deed(loss), at: type)
        try await handset.join()
        #expect(try await handset.state == .active)
        let sent = await site.server.commands(type)
        #expect(sent.count == 2)
        #expect(Set(sent).count == 1)
        #expect(await site.tenant.devices(of: Sample.user).count == 1)
    }

    @Test(arguments: [UInt8(0x21), 0x31], Loss.allCases)
    func `a fetch whose reply was lost is repeated byte for byte`(
        type: UInt8, loss: Loss
    ) async throws {
        let handset = try await OneSpanHarness.joined(setup: Self.patient)
        let site = handset.site
        await site.server.next(Self.deed(loss), at: type)
        let request =
            type == 0x21 ? try await site.login() : try await site.transaction()
        let challenge = try await handset.open(request)
        let sent = await site.server.commands(type)
        #expect(sent.count == 2)
        #expect(Set(sent).count == 1)
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test(arguments: [UInt8(0x23), 0x33], Loss.allCases)
    func `an answer whose reply was lost is unknown, then repeated byte for byte`(
        type: UInt8, loss: Loss
    ) async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request =
            type == 0x23 ? try await site.pinLogin() : try await site.transaction()
        let challenge = try await handset.open(request)
        await site.server.next(Self.deed(loss), at: type)
        let first = try await handset.authenticator.resolve(challenge, with: .approve)
        guard case .unknown = first else {
            Issue.record("A lost reply is nobody's word: \(first)")
            return
        }
        let resumed = try await handset.authenticator.resume()
        #expect(resumed[challenge.id] == .delivered)
        let sent = await site.server.commands(type)
        #expect(sent.count == 2)
        #expect(Set(sent).count == 1)
        #expect(await site.status(request) == .accepted)
        #expect(await handset.user.answerRequests.count == 1)
    }

    @Test func `an answer whose reply was lost can't be followed by another one`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let request = try await handset.site.pinLogin()
        let challenge = try await handset.open(request)
        await handset.site.server.next(.lose, at: 0x23)
        _ = try await handset.authenticator.resolve(challenge, with: .approve)
        let error = try await refusal {
            _ = try await handset.authenticator.resolve(challenge, with: .deny(.fraud))
        }
        #expect(error.code == .decidedOtherwise(.approve))
        #expect(await handset.site.status(request) == .accepted)
    }

    @Test func `an answer that never arrived is taken back by nothing but the server's word`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        let challenge = try await handset.open(request)
        await site.server.next(.refuse, at: 0x23)
        _ = try await handset.authenticator.resolve(challenge, with: .approve)
        handset.pass(.seconds(120))
        #expect(await site.status(request) == .timeout)
        #expect(try await handset.authenticator.resume()[challenge.id] == .expired)
    }

    @Test func `an error inside an HTTP error reaches the app`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        try await handset.receive()
        try await site.tenant.lock(Sample.user)
        let error = try await refusal {
            _ = try await handset.authenticator.challenge(handset.id(request))
        }
        #expect(await site.server.exchanges.last?.status == 409)
        #expect(error.oneSpan == .userLocked)
        #expect(error.code == .blocked)
    }

    @Test func `a disabled user is told as such`() async throws {
        let handset = try await OneSpanHarness.joined()
        let request = try await handset.site.login()
        try await handset.receive()
        try await handset.site.tenant.disable(Sample.user)
        let error = try await refusal {
            _ = try await handset.authenticator.challenge(handset.id(request))
        }
        #expect(error.oneSpan == .userDisabled)
    }

    @Test func `a customer's server that drops error bodies hides them, but breaks nothing`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.login()
        try await handset.receive()
        try await site.tenant.lock(Sample.user)
        await site.tenant.next(relay: OneSpanSimulator.RelayFault.stripErrorBody)
        let error = try await refusal {
            _ = try await handset.authenticator.challenge(handset.id(request))
        }
        #expect(error.code != .blocked)
        #expect(try await handset.record(request) == .open)
        try await site.tenant.unlock(Sample.user)
        let challenge = try await handset.authenticator.challenge(handset.id(request))
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a user locked while deciding is told so, and a recorded no isn't lost`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        let challenge = try await handset.open(request)
        try await site.tenant.lock(Sample.user)
        let result = await Result {
            () async throws(PushError) in
            try await handset.authenticator.resolve(challenge, with: .approve)
        }
        if case .success(let outcome) = result { #expect(outcome != .delivered) }
        #expect(await site.status(request) == .pending)
    }

    @Test func `a fetch waits a minute for its reply`() async throws {
        let handset = try await OneSpanHarness.joined()
        let request = try await handset.site.login()
        try await handset.receive()
        let gate = Gate(letsCancelledPass: true)
        await handset.site.server.next(.hold(gate), at: 0x21)
        let watch = Watch()
        watch.run { _ = try await handset.authenticator.challenge(handset.id(request)) }
        await gate.arrival()
        await handset.outwait(.seconds(61))
        #expect(await watch.settles())
        await gate.open()
        let expected: [OneSpanError?] = [.outdated(.unknown), .noReply, .relay]
        let error = await watch.error
        #expect(expected.contains(error?.oneSpan), "\(String(describing: error))")
        #expect(await handset.site.server.types == [0x21])
        // The server said nothing, so nothing is closed.
        #expect(try await handset.record(request) == .open)
    }

    @Test func `an answer waits five minutes for its reply, and is unknown then`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let request = try await handset.site.pinLogin()
        let challenge = try await handset.open(request)
        let gate = Gate(letsCancelledPass: true)
        await handset.site.server.next(.holdReply(gate), at: 0x23)
        async let answering = handset.authenticator.resolve(challenge, with: .approve)
        await gate.arrival()
        await handset.outwait(.seconds(299))
        await handset.outwait(.seconds(2))
        guard case .unknown = try await answering else {
            Issue.record("Nothing is known of the answer.")
            return
        }
        await gate.open()
        // By now the request's time is over as well: the server says how it ended, and that it
        // was this answer is likely, and no more.
        guard case .unknown? = try await handset.authenticator.resume()[challenge.id] else {
            Issue.record("Nobody knows which copy it was.")
            return
        }
        #expect(await handset.site.status(request) == .accepted)
        #expect(Set(await handset.site.server.commands(0x23)).count == 1)
    }

    @Test func `a push that the service refused later is asked for by nobody`() async throws {
        let handset = try await OneSpanHarness.joined()
        await handset.site.tenant.next(push: OneSpanSimulator.PushFault.refuse)
        let request = try await handset.site.login()
        #expect(try await handset.receive().isEmpty)
        #expect(await handset.site.status(request) == .pending)
        #expect(try await handset.authenticator.pending().found.isEmpty)
        handset.pass(.seconds(61))
        #expect(await handset.site.status(request) == .timeout)
    }
}

import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// The process dies: `docs/vendors/onespan.md#after-the-end-of-a-process`.
@Suite(.timeLimit(.minutes(10))) struct DeathTests {
    /// Whether the server had processed the command when the process died.
    static let both = [false, true]

    private func lose(_ isProcessed: Bool) -> CustomerServer.Deed {
        isProcessed ? .lose : .refuse
    }

    @Test(arguments: [UInt8(0x01), 0x03, 0x05], both)
    func `before the last command an activation comes to nothing, and can be begun again`(
        type: UInt8, isProcessed: Bool
    ) async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        let password = try await site.password()
        await site.server.next(lose(isProcessed), at: type)
        await #expect(throws: PushError.self) { try await handset.join(password: password) }
        let later = try await handset.restarted()
        #expect(try await later.authenticator.enrollments().isEmpty)
        await site.server.forget()
        try await later.start()
        #expect(await site.server.types.isEmpty)
        #expect(await later.store.credentials == 0)
        try await later.join(password: password)
        #expect(try await later.state == .active)
        #expect(await site.tenant.devices(of: Sample.user).count == 1)
    }

    @Test(arguments: both)
    func `after the last command an activation is finished at the next start`(
        isProcessed: Bool
    ) async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        await site.server.next(lose(isProcessed), at: 0x07)
        let enrollment = try? await handset.join()
        #expect(enrollment?.state != .active)
        let later = try await handset.restarted()
        #expect(try await later.state == .pending(.unconfirmed))
        try await later.start()
        #expect(try await later.state == .active)
        let sent = await site.server.commands(0x07)
        #expect(sent.count == 2)
        #expect(Set(sent).count == 1)
        #expect(await site.tenant.devices(of: Sample.user).count == 1)
        #expect(try await later.approve(site.pinLogin()) == .delivered)
    }

    @Test func `resuming in the vendor's door finishes an activation`() async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        await site.server.next(.lose, at: 0x07)
        _ = try? await handset.join()
        let later = try await handset.restarted()
        await OneSpanApp(later).door.resume()
        #expect(try await later.state == .active)
    }

    @Test func `an unfinished activation that the server refuses in the end is gone`()
        async throws
    {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        await site.server.next(.refuse, at: 0x07)
        _ = try? await handset.join()
        handset.pass(.seconds(601))
        let later = try await handset.restarted()
        try await later.start()
        #expect(try await later.state != .active)
        try await later.start()
        for enrollment in try await later.authenticator.enrollments() {
            #expect(enrollment.state != .active)
            try await later.authenticator.remove(enrollment.id)
        }
        #expect(await later.store.credentials == 0)
        try await later.join()
        #expect(try await later.state == .active)
    }

    @Test func `a last command is kept while its reply is lost again and again`() async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        await site.server.next(.lose, at: 0x07, times: 3)
        _ = try? await handset.join()
        var later = handset
        for _ in 0..<2 {
            later = try await later.restarted()
            try? await later.start()
            #expect(try await later.state == .pending(.unconfirmed))
        }
        later = try await later.restarted()
        try await later.start()
        #expect(try await later.state == .active)
        #expect(Set(await site.server.commands(0x07)).count == 1)
    }

    @Test func `an unproved error doesn't end an unfinished activation`() async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        await site.server.next(.refuse, at: 0x07)
        _ = try? await handset.join()
        for code in [Int32(-1300), -1202, -1200] {
            await site.tenant.next(reply: OneSpanSimulator.ReplyFault.clearError(code))
            let later = try await handset.restarted()
            try? await later.start()
            #expect(try await later.state == .pending(.unconfirmed))
        }
        let later = try await handset.restarted()
        try await later.start()
        #expect(try await later.state == .active)
    }

    @Test func `deleting an unfinished activation leaves nothing, and another one works`()
        async throws
    {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        let password = try await site.password()
        await site.server.next(.refuse, at: 0x07)
        _ = try? await handset.join(password: password)
        let later = try await handset.restarted()
        try await later.authenticator.remove(later.enrollment().id)
        #expect(await later.store.credentials == 0)
        await site.server.forget()
        try await later.start()
        #expect(await site.server.types.isEmpty)
        try await later.join(password: password)
        #expect(try await later.state == .active)
        #expect(await site.tenant.devices(of: Sample.user).count == 1)
    }

    @Test(arguments: both, [Resolution.approve, .deny(.fraud)])
    func `an answer under way is sent again, byte for byte, by a later process`(
        isProcessed: Bool, resolution: Resolution
    ) async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        let challenge = try await handset.open(request)
        await site.server.next(lose(isProcessed), at: 0x23)
        _ = try await handset.authenticator.resolve(challenge, with: resolution)
        let later = try await handset.restarted()
        #expect(try await later.record(request) == .decided(resolution))
        #expect(try await later.authenticator.resume()[challenge.id] == .delivered)
        let sent = await site.server.commands(0x23)
        #expect(sent.count == 2)
        #expect(Set(sent).count == 1)
        #expect(
            await site.status(request)
                == (resolution == .approve ? .accepted : .refused))
    }

    @Test func `an answer that was lost and is old gets the session's state, not a new one`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        let challenge = try await handset.open(request)
        await site.server.next(.lose, at: 0x23)
        _ = try await handset.authenticator.resolve(challenge, with: .approve)
        handset.pass(.seconds(3_600))
        let later = try await handset.restarted()
        let outcome = try #require(try await later.authenticator.resume()[challenge.id])
        // Long gone from the server's cache: its counter is used, so the state is fetched.
        #expect(outcome != .expired)
        #expect(await site.status(request) == .accepted)
        #expect(await later.user.answerRequests.count == 1)
    }

    @Test func `a wrong PIN that a later process hears of can be put right there`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        let challenge = try await handset.open(request)
        await handset.user.type(Sample.wrongPIN)
        await site.server.next(.lose, at: 0x23)
        _ = try await handset.authenticator.resolve(challenge, with: .approve)
        let later = try await handset.restarted()
        guard case .notTaken(let refusal) = try await later.authenticator.resume()[challenge.id]
        else {
            Issue.record("The server's word was that the response is wrong.")
            return
        }
        #expect(refusal.reason == .verification)
        #expect(refusal.mayRetry)
        await later.user.type(Sample.pin)
        let again = try await later.authenticator.challenge(challenge.id)
        #expect(try await later.authenticator.resolve(again, with: .approve) == .delivered)
    }

    @Test func `a request that was open comes to nothing, and can be opened again`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        let pushes = try await handset.pushes()
        _ = try await handset.authenticator.receive(pushes[0])
        _ = try await handset.authenticator.challenge(handset.id(request))
        let later = try await handset.restarted()
        #expect(try await later.authenticator.resume().isEmpty)
        #expect(await site.server.types == [0x21])
        #expect(try await later.authenticator.receive(pushes[0]).map(\.isNew) == [false])
        let challenge = try await later.authenticator.challenge(later.id(request))
        #expect(
            try await later.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a user at the keypad leaves nothing behind`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        let challenge = try await handset.open(request)
        let gate = Gate(letsCancelledPass: true)
        await handset.user.think(at: gate)
        await handset.user.giveUp()
        let answering = Task {
            try await handset.authenticator.resolve(challenge, with: .approve)
        }
        await gate.arrival()
        let later = try await handset.restarted()
        #expect(try await later.record(request) == .open)
        await gate.open()
        let error = try await refusal { _ = try await answering.value }
        #expect(error.code == .cancelled)
        #expect(await site.server.types == [0x21])
        #expect(try await later.authenticator.resume().isEmpty)
    }

    @Test func `giving up at each question sends nothing, and leaves the request open`()
        async throws
    {
        let site = Site()
        let user = ScriptedUser.typing()
        let handset = try await OneSpanHarness(site, user: user)
        await user.giveUp()
        let error = try await refusal { try await handset.join() }
        #expect(error.code == .cancelled)
        #expect(await site.server.types.isEmpty)
        #expect(await handset.store.credentials == 0)

        try await handset.join()
        await site.server.forget()
        let request = try await site.pinLogin()
        let challenge = try await handset.open(request)
        await user.giveUp()
        let second = try await refusal {
            _ = try await handset.authenticator.resolve(challenge, with: .approve)
        }
        #expect(second.code == .cancelled)
        #expect(await site.server.types == [0x21])
        #expect(await site.status(request) == .pending)
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test(arguments: [UInt8(0x01), 0x03, 0x05])
    func `an activation that is cancelled while a reply is awaited leaves nothing`(
        type: UInt8
    ) async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        let password = try await site.password()
        let gate = Gate(letsCancelledPass: true)
        await site.server.next(.holdReply(gate), at: type)
        let joining = Task { try await handset.join(password: password) }
        await gate.arrival()
        joining.cancel()
        await gate.open()
        await #expect(throws: PushError.self) { _ = try await joining.value }
        #expect(await site.server.types.last == type)
        #expect(await handset.store.credentials == 0)
        try await handset.join(password: password)
        #expect(try await handset.state == .active)
    }
}

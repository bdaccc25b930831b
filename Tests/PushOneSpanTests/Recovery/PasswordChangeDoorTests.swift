import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// The password changes at the server's word, and at nothing else:
/// `docs/vendors/onespan-ooc.md#9-changing-the-password`.
@Suite(.timeLimit(.minutes(10))) struct PasswordChangeDoorTests {
    static let newPIN = "975310"

    /// Whether a PIN is the right one, by the server's word.
    private func isRight(_ pin: String, at handset: OneSpanHarness) async throws -> Bool {
        await handset.user.type(pin)
        _ = try await handset.pushes()
        let request = try await handset.site.pinLogin()
        let challenge = try await handset.open(request)
        let outcome = try? await handset.authenticator.resolve(challenge, with: .approve)
        let isAccepted = await handset.site.status(request) == .accepted
        #expect((outcome == .delivered) == isAccepted)
        return isAccepted
    }

    /// The device under the app that uses the uniform door, to try PINs with.
    private func uniform(_ app: OneSpanApp) async throws -> OneSpanHarness {
        try await OneSpanHarness(
            app.site, token: app.harness.token, store: app.harness.store,
            user: app.harness.user)
    }

    @Test func `after a change the new password is right, and the old one wrong`()
        async throws
    {
        let app = try await OneSpanApp.joined()
        try await app.changePassword(to: Self.newPIN)
        #expect(await app.events.suffix(2) == [.step(0x40), .changed])
        let handset = try await uniform(app)
        #expect(try await !isRight(Sample.pin, at: handset))
        #expect(try await isRight(Self.newPIN, at: handset))
    }

    @Test func `a wrong old password is the server's verdict, and changes nothing`()
        async throws
    {
        let app = try await OneSpanApp.joined()
        try await app.changePassword(from: Sample.wrongPIN, to: Self.newPIN)
        #expect(
            await app.events.suffix(2) == [.step(0x40), .changePasswordError(4)])
        let handset = try await uniform(app)
        #expect(try await !isRight(Self.newPIN, at: handset))
        #expect(try await isRight(Sample.pin, at: handset))
    }

    @Test func `wrong old passwords lock the user like any others`() async throws {
        let app = try await OneSpanApp.joined()
        for left in [4, 3, 2, 1, 0] {
            try await app.changePassword(from: Sample.wrongPIN, to: Self.newPIN)
            #expect(await app.events.last == .changePasswordError(left))
        }
        #expect(await app.site.tenant.isLocked(Sample.user))
        try await app.changePassword(to: Self.newPIN)
        #expect(await app.events.last == .serverError(-1101, isAuthenticated: true))
    }

    @Test(arguments: ["", "1"])
    func `a new password that is too weak is an input error, and nothing is sent`(
        weak: String
    ) async throws {
        let app = try await OneSpanApp.joined()
        // The user is asked again, and gives up at the next question but one.
        async let changing: Void = app.changePassword(to: weak)
        await app.wait { $0.contains(.changeInput) || $0.contains(.changeAborted) }
        await app.harness.user.choose(Self.newPIN)
        try await changing
        #expect(await app.events.contains(.changeInput))
    }

    @Test func `the same password again is an input error, and nothing is sent`() async throws {
        let app = try await OneSpanApp.active()
        let sent = await app.harness.sent
        try await app.startChangePassword()
        #expect(await app.events == [.changeInput])
        #expect(await app.harness.sent == sent)
    }

    @Test func `a user who gives up aborts a change`() async throws {
        let app = try await OneSpanApp.joined()
        await app.harness.user.giveUp()
        try await app.changePassword(to: Self.newPIN)
        #expect(await app.events.last == .changeAborted)
        #expect(await app.site.server.commands(0x40).isEmpty)
        #expect(try await isRight(Sample.pin, at: uniform(app)))
    }

    @Test func `a change of a user who isn't activated is refused`() async throws {
        let app = try await OneSpanApp()
        let error = try await refusal {
            try await app.changePassword(to: Self.newPIN)
        }
        #expect(error.oneSpan == .notActivated)
    }

    @Test(arguments: [false, true])
    func `a change whose reply was lost is finished after the process died`(
        isProcessed: Bool
    ) async throws {
        let app = try await OneSpanApp.joined()
        await app.site.server.next(isProcessed ? .lose : .refuse, at: 0x40)
        let changing = Task { try await app.changePassword(to: Self.newPIN) }
        await app.wait(for: .step(0x40))
        await app.site.server.untilAnswered(0x40)
        // The next process has a relay, as any app's may.
        let later = try await uniform(app)
        try await later.start()
        let sent = await app.site.server.commands(0x40)
        #expect(sent.count == 2)
        #expect(Set(sent).count == 1)
        #expect(try await isRight(Self.newPIN, at: later))
        #expect(try await !isRight(Sample.pin, at: later))
        app.harness.pass(.seconds(3_600))
        _ = try? await changing.value
    }

    @Test func `what was lost for long is asked for once more with the same new key`()
        async throws
    {
        let app = try await OneSpanApp.joined()
        await app.site.server.next(.lose, at: 0x40)
        let changing = Task { try await app.changePassword(to: Self.newPIN) }
        await app.wait(for: .step(0x40))
        await app.site.server.untilAnswered(0x40)
        // The bytes are out of the server's cache, so their counter is a replay: −1302.
        app.site.time.advance(by: .seconds(301))
        let later = try await uniform(app)
        let again = await OneSpanApp(later)
        await later.user.type(Sample.pin)
        await again.door.resume()
        try await later.start()
        if try await !isRight(Self.newPIN, at: later) {
            Issue.record("Both masks may be dropped only at the server's word.")
        }
        app.harness.pass(.seconds(3_600))
        _ = try? await changing.value
    }

    @Test(arguments: [Int32(-1300), -1302, -1101])
    func `an unproved error leaves a change unfinished, and it is finished later`(
        code: Int32
    ) async throws {
        let app = try await OneSpanApp.joined()
        await app.site.tenant.next(reply: OneSpanSimulator.ReplyFault.clearError(code))
        let changing = Task { try await app.changePassword(to: Self.newPIN) }
        await app.wait(for: .serverError(code, isAuthenticated: false))
        let later = try await uniform(app)
        try await later.start()
        #expect(Set(await app.site.server.commands(0x40)).count == 1)
        #expect(try await isRight(Self.newPIN, at: later))
        app.harness.pass(.seconds(3_600))
        _ = try? await changing.value
    }

    @Test func `while a change is unfinished no other command proves the password`()
        async throws
    {
        let app = try await OneSpanApp.joined()
        await app.site.server.next(.refuse, at: 0x40)
        let changing = Task { try await app.changePassword(to: Self.newPIN) }
        await app.wait(for: .step(0x40))
        await app.site.server.untilAnswered(0x40)
        let later = try await uniform(app)
        let request = try await app.site.pinLogin()
        await later.user.type(Self.newPIN)
        let outcome = try? await later.approve(request)
        let types = await app.site.server.types
        // Either the change was finished first, or the request waits behind it.
        if let answer = types.lastIndex(of: 0x23) {
            #expect(outcome == .delivered)
            #expect((types.lastIndex(of: 0x40) ?? .max) < answer)
            #expect(types.filter { $0 == 0x40 }.count == 2)
        } else {
            #expect(outcome != .delivered)
        }
        app.harness.pass(.seconds(3_600))
        _ = try? await changing.value
    }

    @Test func `a change stores neither password nor two masks of one key`() async throws {
        let app = try await OneSpanApp.joined()
        try await app.changePassword(to: Self.newPIN)
        for pin in [Sample.pin, Self.newPIN] {
            #expect(await !app.harness.store.everHeld(Array(pin.utf8)))
        }
    }
}

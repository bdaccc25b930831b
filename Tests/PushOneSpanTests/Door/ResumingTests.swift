import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// An app that carries commands itself goes on with what an earlier process left: a fresh
/// authenticator on the same store, and no relay in either process.
@Suite(.timeLimit(.minutes(10))) struct ResumingTests {
    typealias Event = OneSpanApp.Event

    private static let newPIN = "975310"
    /// Whether the server had processed the command when the process died.
    private static let both = [false, true]

    /// What an earlier process does until a command of a type gets no reply; then it is killed.
    private func killed(
        _ app: OneSpanApp, at type: UInt8, isProcessed: Bool = true,
        _ body: @escaping @Sendable (OneSpanApp) async throws -> Void
    ) async throws -> OneSpanApp {
        await app.site.server.next(isProcessed ? .lose : .refuse, at: type)
        Task { try await body(app) }
        await app.site.server.untilAnswered(type)
        return try await app.restarted()
    }

    private func resume(_ app: OneSpanApp) async {
        await app.door.resume(
            activationDelegate: app, changePasswordDelegate: app)
    }

    /// The commands of a type that arrived, if they were the same bytes each time.
    private func same(_ type: UInt8, at app: OneSpanApp) async -> Int? {
        let sent = await app.site.server.commands(type)
        return Set(sent).count == 1 ? sent.count : nil
    }

    // MARK: Activation

    @Test(arguments: both)
    func `an activation's last command goes out again through its delegate`(
        isProcessed: Bool
    ) async throws {
        let later = try await killed(OneSpanApp(), at: 0x07, isProcessed: isProcessed) { app in
            try await app.activate()
        }
        #expect(try await later.harness.state == .pending(.unconfirmed))
        await resume(later)
        #expect(await later.events == [.step(0x07), .activated])
        #expect(await same(0x07, at: later) == 2)
        #expect(try await later.harness.state == .pending(.deviceToken))
        try await later.register()
        #expect(try await later.harness.state == .active)
        // There is nothing left to go on with.
        await resume(later)
        #expect(await later.count(.step(0x07)) == 1)
    }

    @Test func `an activation that the server refuses in the end is told, and gone`() async throws {
        let later = try await killed(OneSpanApp(), at: 0x07, isProcessed: false) { app in
            try await app.activate()
        }
        later.site.time.advance(by: .seconds(601))
        await resume(later)
        #expect(
            await later.events == [
                .step(0x07), .serverError(-1202, isAuthenticated: true),
            ])
        #expect(await later.harness.store.credentials == 0)
    }

    @Test func `an activation that is gone on with can be cancelled`() async throws {
        let later = try await killed(OneSpanApp(), at: 0x07) { app in try await app.activate() }
        await later.carry(false)
        async let resuming: Void = resume(later)
        await later.wait(for: .step(0x07))
        try await later.door.cancel()
        await resuming
        #expect(await later.events == [.step(0x07), .activationAborted])
        #expect(await later.harness.store.credentials == 0)
    }

    @Test func `what nobody carries stays, and is carried later`() async throws {
        let later = try await killed(OneSpanApp(), at: 0x07) { app in try await app.activate() }
        await later.door.resume()
        #expect(await later.events == [.error(nil)])
        #expect(try await later.harness.state == .pending(.unconfirmed))
        #expect(await same(0x07, at: later) == 1)
        await resume(later)
        #expect(await later.events.last == .activated)
        #expect(await same(0x07, at: later) == 2)
    }

    @Test func `a reply that is lost again leaves it for the next process`() async throws {
        let later = try await killed(OneSpanApp(), at: 0x07) { app in try await app.activate() }
        await later.carry(false)
        async let resuming: Void = resume(later)
        await later.wait(for: .step(0x07))
        await later.harness.outwait(.seconds(3_600))
        await resuming
        #expect(await later.events == [.step(0x07), .error(.noReply)])
        let last = try await later.restarted()
        #expect(try await last.harness.state == .pending(.unconfirmed))
        await resume(last)
        #expect(await last.events == [.step(0x07), .activated])
    }

    // MARK: Change password

    /// Whether a PIN is the right one, by the server's word.
    private func isRight(_ pin: String, at app: OneSpanApp) async throws -> Bool {
        await app.harness.user.type(pin)
        let request = try await app.site.pinLogin()
        let before = await app.events.count
        try await app.execute()
        await app.wait { events in
            events.dropFirst(before).contains {
                switch $0 {
                case .success, .passwordError: true
                default: false
                }
            }
        }
        return await app.site.status(request) == .accepted
    }

    @Test(arguments: both)
    func `a change of the password goes out again through its delegate`(
        isProcessed: Bool
    ) async throws {
        let later = try await killed(OneSpanApp.joined(), at: 0x40, isProcessed: isProcessed) {
            app in
            try await app.changePassword(to: Self.newPIN)
        }
        await resume(later)
        #expect(await later.events == [.step(0x40), .changed])
        #expect(await same(0x40, at: later) == 2)
        #expect(try await isRight(Self.newPIN, at: later))
    }

    @Test func `a change whose counter is used up asks for both passwords once more`() async throws
    {
        let later = try await killed(OneSpanApp.joined(), at: 0x40) { app in
            try await app.changePassword(to: Self.newPIN)
        }
        // Out of the server's cache, so the stored bytes are a replay: −1302.
        later.site.time.advance(by: .seconds(301))
        await later.harness.user.type(Sample.pin)
        await resume(later)
        #expect(await later.events == [.step(0x40), .step(0x40), .changed])
        let changes = await later.site.server.commands(0x40)
        #expect(changes.count == 3)
        #expect(Set(changes).count == 2)
        #expect(try await isRight(Self.newPIN, at: later))
    }

    @Test func `a wrong old password is told by the process that hears of it`() async throws {
        let later = try await killed(OneSpanApp.joined(), at: 0x40) { app in
            try await app.changePassword(from: Sample.wrongPIN, to: Self.newPIN)
        }
        await resume(later)
        #expect(await later.events == [.step(0x40), .changePasswordError(4)])
        #expect(try await isRight(Sample.pin, at: later))
    }

    @Test func `a change on its way can't be cancelled`() async throws {
        let later = try await killed(OneSpanApp.joined(), at: 0x40) { app in
            try await app.changePassword(to: Self.newPIN)
        }
        let gate = Gate(letsCancelledPass: true)
        await later.site.server.next(.holdReply(gate), at: 0x40)
        async let resuming: Void = resume(later)
        await gate.arrival()
        let error = try await refusal { try await later.door.cancel() }
        #expect(error.oneSpan == .invalidState)
        await gate.open()
        await resuming
        #expect(await later.events == [.step(0x40), .changed])
    }

    // MARK: Answers

    @Test(
        arguments: [RequestKind.authentication, .transaction],
        [RemoteAuthenticationResult.RemoteSessionState.accepted, .refused])
    func `an answer goes out again through the remote delegate, which hears what came of it`(
        kind: RequestKind, state: RemoteAuthenticationResult.RemoteSessionState
    ) async throws {
        let type: UInt8 = kind == .transaction ? 0x33 : 0x23
        let app = try await OneSpanApp.joined(instance: "app")
        await app.prefer(state == .accepted ? .approve : .reject)
        let request =
            kind == .transaction
            ? try await app.site.transaction() : try await app.site.pinLogin()
        let later = try await killed(app, at: type) { app in try await app.execute() }
        await resume(later)
        #expect(
            await later.events == [.step(type), .success(kind, state, token: false)])
        #expect(await same(type, at: later) == 2)
        #expect(await later.site.status(request) == (state == .accepted ? .accepted : .refused))
    }

    @Test func `a wrong password that a later process hears of is told, and asked for again`()
        async throws
    {
        let app = try await OneSpanApp.joined(instance: "app")
        let request = try await app.site.pinLogin()
        await app.harness.user.type(Sample.wrongPIN)
        let later = try await killed(app, at: 0x23) { app in try await app.execute() }
        await later.harness.user.type(Sample.pin)
        await resume(later)
        let end = Event.success(.authentication, .accepted, token: false)
        await later.wait(for: end)
        #expect(
            await later.events == [
                .step(0x23), .passwordError(.authentication, 2), .step(0x21),
                .displayed(.authentication, .text("Sign in to Example Bank")), .step(0x23), end,
            ])
        #expect(await later.site.status(request) == .accepted)
    }

    @Test func `an old answer ends with what the server says of its request`() async throws {
        let app = try await OneSpanApp.joined(instance: "app")
        _ = try await app.site.pinLogin()
        let later = try await killed(app, at: 0x23) { app in try await app.execute() }
        later.site.time.advance(by: .seconds(3_600))
        await resume(later)
        #expect(await later.events.last == .outdated(.authentication, .accepted))
        #expect(await later.events.first == .step(0x23))
    }

    @Test
    func `an answer that another process is sending is left to it, and told as a relay error`()
        async throws
    {
        let app = try await OneSpanApp.joined()
        let request = try await app.site.pinLogin()
        let later = try await killed(app, at: 0x23) { app in try await app.execute() }
        await resume(later)
        #expect(await later.events == [.error(.relay)])
        later.harness.pass(PushConfiguration().lease + .seconds(1))
        await resume(later)
        #expect(
            await later.events.dropFirst() == [
                .step(0x23), .success(.authentication, .accepted, token: false),
            ])
        #expect(await later.site.status(request) == .accepted)
    }

    @Test func `an answer without a delegate is an error, and stays`() async throws {
        let app = try await OneSpanApp.joined(instance: "app")
        let request = try await app.site.pinLogin()
        let later = try await killed(app, at: 0x23) { app in try await app.execute() }
        await later.door.setRemoteAuthenticationDelegate(nil)
        await resume(later)
        #expect(await later.events == [.error(.handlerNotSet)])
        #expect(try await later.harness.record(request) == .decided(.approve))
        await later.door.setRemoteAuthenticationDelegate(later)
        await resume(later)
        #expect(
            await later.events.last == .success(.authentication, .accepted, token: false))
    }
}

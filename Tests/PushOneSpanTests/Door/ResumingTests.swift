import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// An app that carries commands itself goes on with what an earlier process left: a fresh
/// authenticator on the same store, and no relay in either process.
@Suite(.timeLimit(.minutes(10))) struct ResumingTests {
    typealias Event = DoorApp.Event

    private static let newPIN = "975310"
    /// Whether the server had processed the command when the process died.
    private static let both = [false, true]

    /// What an earlier process does until a command of a type gets no reply; then it is killed.
    private func killed(
        _ bench: DoorBench, at type: UInt8, isProcessed: Bool = true,
        _ body: @escaping @Sendable (DoorBench) async throws -> Void
    ) async throws -> DoorBench {
        await bench.site.server.next(isProcessed ? .lose : .refuse, at: type)
        Task { try await body(bench) }
        await bench.site.server.untilAnswered(type)
        return try await bench.restarted()
    }

    private func resume(_ bench: DoorBench) async {
        await bench.door.resume(
            activationDelegate: bench.app, changePasswordDelegate: bench.app)
    }

    /// The commands of a type that arrived, if they were the same bytes each time.
    private func same(_ type: UInt8, at bench: DoorBench) async -> Int? {
        let sent = await bench.site.server.commands(type)
        return Set(sent).count == 1 ? sent.count : nil
    }

    // MARK: Activation

    @Test(arguments: both)
    func `an activation's last command goes out again through its delegate`(
        isProcessed: Bool
    ) async throws {
        let later = try await killed(DoorBench(), at: 0x07, isProcessed: isProcessed) { bench in
            try await bench.activate()
        }
        #expect(try await later.handset.state == .pending(.unconfirmed))
        await resume(later)
        #expect(await later.app.events == [.step(0x07), .activated])
        #expect(await same(0x07, at: later) == 2)
        #expect(try await later.handset.state == .pending(.deviceToken))
        try await later.register()
        #expect(try await later.handset.state == .active)
        // There is nothing left to go on with.
        await resume(later)
        #expect(await later.app.count(.step(0x07)) == 1)
    }

    @Test func `an activation that the server refuses in the end is told, and gone`() async throws {
        let later = try await killed(DoorBench(), at: 0x07, isProcessed: false) { bench in
            try await bench.activate()
        }
        later.site.time.advance(by: .seconds(601))
        await resume(later)
        #expect(
            await later.app.events == [
                .step(0x07), .serverError(-1202, isAuthenticated: true),
            ])
        #expect(await later.handset.store.credentials == 0)
    }

    @Test func `an activation that is gone on with can be cancelled`() async throws {
        let later = try await killed(DoorBench(), at: 0x07) { bench in try await bench.activate() }
        await later.app.carry(false)
        async let resuming: Void = resume(later)
        await later.app.wait(for: .step(0x07))
        try await later.door.cancel()
        await resuming
        #expect(await later.app.events == [.step(0x07), .activationAborted])
        #expect(await later.handset.store.credentials == 0)
    }

    @Test func `what nobody carries stays, and is carried later`() async throws {
        let later = try await killed(DoorBench(), at: 0x07) { bench in try await bench.activate() }
        await later.door.resume()
        #expect(await later.app.events == [.error(nil)])
        #expect(try await later.handset.state == .pending(.unconfirmed))
        #expect(await same(0x07, at: later) == 1)
        await resume(later)
        #expect(await later.app.events.last == .activated)
        #expect(await same(0x07, at: later) == 2)
    }

    @Test func `a reply that is lost again leaves it for the next process`() async throws {
        let later = try await killed(DoorBench(), at: 0x07) { bench in try await bench.activate() }
        await later.app.carry(false)
        async let resuming: Void = resume(later)
        await later.app.wait(for: .step(0x07))
        await later.handset.outwait(.seconds(3_600))
        await resuming
        #expect(await later.app.events == [.step(0x07), .error(.noReply)])
        let last = try await later.restarted()
        #expect(try await last.handset.state == .pending(.unconfirmed))
        await resume(last)
        #expect(await last.app.events == [.step(0x07), .activated])
    }

    // MARK: Change password

    /// Whether a PIN is the right one, by the server's word.
    private func isRight(_ pin: String, at bench: DoorBench) async throws -> Bool {
        await bench.handset.user.type(pin)
        let request = try await bench.site.pinLogin()
        let before = await bench.app.events.count
        try await bench.execute()
        await bench.app.wait { events in
            events.dropFirst(before).contains {
                switch $0 {
                case .success, .passwordError: true
                default: false
                }
            }
        }
        return await bench.site.status(request) == .accepted
    }

    @Test(arguments: both)
    func `a change of the password goes out again through its delegate`(
        isProcessed: Bool
    ) async throws {
        let later = try await killed(DoorBench.joined(), at: 0x40, isProcessed: isProcessed) {
            bench in
            try await bench.changePassword(to: Self.newPIN)
        }
        await resume(later)
        #expect(await later.app.events == [.step(0x40), .changed])
        #expect(await same(0x40, at: later) == 2)
        #expect(try await isRight(Self.newPIN, at: later))
    }

    @Test func `a change whose counter is used up asks for both passwords once more`() async throws
    {
        let later = try await killed(DoorBench.joined(), at: 0x40) { bench in
            try await bench.changePassword(to: Self.newPIN)
        }
        // Out of the server's cache, so the stored bytes are a replay: −1302.
        later.site.time.advance(by: .seconds(301))
        await later.handset.user.type(Sample.pin)
        await resume(later)
        #expect(await later.app.events == [.step(0x40), .step(0x40), .changed])
        let changes = await later.site.server.commands(0x40)
        #expect(changes.count == 3)
        #expect(Set(changes).count == 2)
        #expect(try await isRight(Self.newPIN, at: later))
    }

    @Test func `a wrong old password is told by the process that hears of it`() async throws {
        let later = try await killed(DoorBench.joined(), at: 0x40) { bench in
            try await bench.changePassword(from: Sample.wrongPIN, to: Self.newPIN)
        }
        await resume(later)
        #expect(await later.app.events == [.step(0x40), .changePasswordError(4)])
        #expect(try await isRight(Sample.pin, at: later))
    }

    @Test func `a change on its way can't be cancelled`() async throws {
        let later = try await killed(DoorBench.joined(), at: 0x40) { bench in
            try await bench.changePassword(to: Self.newPIN)
        }
        let gate = Gate(letsCancelledPass: true)
        await later.site.server.next(.holdReply(gate), at: 0x40)
        async let resuming: Void = resume(later)
        await gate.arrival()
        let error = try await refusal { try await later.door.cancel() }
        #expect(error.oneSpan == .invalidState)
        await gate.open()
        await resuming
        #expect(await later.app.events == [.step(0x40), .changed])
    }

    // MARK: Answers

    @Test(
        arguments: [RequestKind.authentication, .transaction],
        [RemoteAuthenticationResult.RemoteSessionState.accepted, .refused])
    func `an answer goes out again through the remote delegate, which hears what came of it`(
        kind: RequestKind, state: RemoteAuthenticationResult.RemoteSessionState
    ) async throws {
        let type: UInt8 = kind == .transaction ? 0x33 : 0x23
        let bench = try await DoorBench.joined(instance: "app")
        await bench.app.prefer(state == .accepted ? .approve : .reject)
        let request =
            kind == .transaction
            ? try await bench.site.transaction() : try await bench.site.pinLogin()
        let later = try await killed(bench, at: type) { bench in try await bench.execute() }
        await resume(later)
        #expect(
            await later.app.events == [.step(type), .success(kind, state, token: false)])
        #expect(await same(type, at: later) == 2)
        #expect(await later.site.status(request) == (state == .accepted ? .accepted : .refused))
    }

    @Test func `a wrong password that a later process hears of is told, and asked for again`()
        async throws
    {
        let bench = try await DoorBench.joined(instance: "app")
        let request = try await bench.site.pinLogin()
        await bench.handset.user.type(Sample.wrongPIN)
        let later = try await killed(bench, at: 0x23) { bench in try await bench.execute() }
        await later.handset.user.type(Sample.pin)
        await resume(later)
        let end = Event.success(.authentication, .accepted, token: false)
        await later.app.wait(for: end)
        #expect(
            await later.app.events == [
                .step(0x23), .passwordError(.authentication, 2), .step(0x21),
                .displayed(.authentication, .text("Sign in to Example Bank")), .step(0x23), end,
            ])
        #expect(await later.site.status(request) == .accepted)
    }

    @Test func `an old answer ends with what the server says of its request`() async throws {
        let bench = try await DoorBench.joined(instance: "app")
        _ = try await bench.site.pinLogin()
        let later = try await killed(bench, at: 0x23) { bench in try await bench.execute() }
        later.site.time.advance(by: .seconds(3_600))
        await resume(later)
        #expect(await later.app.events.last == .outdated(.authentication, .accepted))
        #expect(await later.app.events.first == .step(0x23))
    }

    @Test
    func `an answer that another process is sending is left to it, and told as a relay error`()
        async throws
    {
        let bench = try await DoorBench.joined()
        let request = try await bench.site.pinLogin()
        let later = try await killed(bench, at: 0x23) { bench in try await bench.execute() }
        await resume(later)
        #expect(await later.app.events == [.error(.relay)])
        later.handset.pass(Policies().lease + .seconds(1))
        await resume(later)
        #expect(
            await later.app.events.dropFirst() == [
                .step(0x23), .success(.authentication, .accepted, token: false),
            ])
        #expect(await later.site.status(request) == .accepted)
    }

    @Test func `an answer without a delegate is an error, and stays`() async throws {
        let bench = try await DoorBench.joined(instance: "app")
        let request = try await bench.site.pinLogin()
        let later = try await killed(bench, at: 0x23) { bench in try await bench.execute() }
        await later.door.setRemoteAuthenticationDelegate(nil)
        await resume(later)
        #expect(await later.app.events == [.error(.handlerNotSet)])
        #expect(try await later.handset.record(request) == .decided(.approve))
        await later.door.setRemoteAuthenticationDelegate(later.app)
        await resume(later)
        #expect(
            await later.app.events.last == .success(.authentication, .accepted, token: false))
    }
}

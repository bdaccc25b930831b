import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// The vendor's own vocabulary, who is told what, and when:
/// `docs/vendors/onespan.md#documented-names`.
@Suite(.timeLimit(.minutes(10))) struct DoorTests {
    @Test func `an activation and a registration tell the app each step and the end`()
        async throws
    {
        let bench = try await DoorBench()
        try await bench.activate()
        #expect(
            await bench.app.events == [
                .step(0x01), .step(0x03), .step(0x05), .step(0x07), .activated,
            ])
        #expect(try await bench.site.activationStatus() == "pending")
        #expect(try await bench.door.isUserActivated(bench.knownUser()))
        try await bench.register()
        #expect(
            await bench.app.events.suffix(2) == [.step(0x10), .registered(Sample.user)])
        #expect(try await bench.site.activationStatus() == "activated")
        #expect(try await bench.door.users().map(\.userIdentifier) == [Sample.user])
    }

    @Test func `an unchanged identifier is a success without traffic`() async throws {
        let bench = try await DoorBench.joined()
        try await bench.register()
        #expect(await bench.app.count(.step(0x10)) == 1)
        #expect(await bench.app.count(.registered(Sample.user)) == 2)
    }

    @Test(arguments: [
        ("", ActivationInputProblem.activationPasswordNullOrEmpty),
        ("K7M2Q9X", .activationPasswordWrongLength),
        ("K7M2Q9XE", .activationPasswordWrongChecksum),
    ])
    func `a wrong input ends an activation at once`(
        typed: String, problem: ActivationInputProblem
    ) async throws {
        let bench = try await DoorBench()
        try await bench.activate(typed)
        #expect(await bench.app.events == [.activationInput(problem)])
        #expect(await bench.handset.user.requests.isEmpty)
    }

    @Test func `a missing user identifier, too`() async throws {
        let bench = try await DoorBench()
        try await bench.activate("K7M2Q9XD", name: "")
        #expect(await bench.app.events == [.activationInput(.userIDNullOrEmpty)])
    }

    @Test func `a user who gives up aborts an activation`() async throws {
        let bench = try await DoorBench()
        await bench.handset.user.giveUp()
        try await bench.activate()
        #expect(await bench.app.events == [.activationAborted])
        #expect(await bench.handset.store.credentials == 0)
    }

    @Test(arguments: [UInt8(0x01), 0x03, 0x05])
    func `an activation can be cancelled while a reply is awaited`(type: UInt8) async throws {
        let bench = try await DoorBench()
        let password = try await bench.site.password()
        let gate = Gate(letsCancelledPass: true)
        await bench.site.server.next(.holdReply(gate), at: type)
        async let activating: Void = bench.activate(password)
        await gate.arrival()
        try await bench.door.cancel()
        try await activating
        await gate.open()
        #expect(await bench.app.events.last == .activationAborted)
        #expect(await bench.site.server.types.last == type)
        #expect(await bench.handset.store.credentials == 0)
        try await bench.activate(password)
        #expect(await bench.app.events.contains(.activated))
    }

    @Test func `an activation can be cancelled while its last reply is awaited`() async throws {
        let bench = try await DoorBench()
        let gate = Gate(letsCancelledPass: true)
        await bench.site.server.next(.holdReply(gate), at: 0x07)
        async let activating: Void = bench.activate()
        await gate.arrival()
        try await bench.door.cancel()
        try await activating
        await gate.open()
        #expect(await bench.app.events.last == .activationAborted)
        #expect(try await bench.door.users().isEmpty)
        #expect(await bench.handset.store.credentials == 0)
    }

    @Test func `a second activation meanwhile is refused`() async throws {
        let bench = try await DoorBench()
        let gate = Gate(letsCancelledPass: true)
        await bench.handset.user.think(at: gate)
        async let activating: Void = bench.activate()
        await gate.arrival()
        let error = try await refusal { try await bench.activate("K7M2Q9XD") }
        #expect(error.oneSpan == .workflowInProgress)
        await gate.open()
        try await activating
        #expect(await bench.app.events.last == .activated)
    }

    @Test func `a login tells the app each step, what it shows and the end`() async throws {
        let bench = try await DoorBench.joined(Site { $0.authToken = "token" })
        let before = await bench.app.events.count
        _ = try await bench.site.pinLogin()
        try await bench.execute()
        let end = DoorApp.Event.success(.authentication, .accepted, token: true)
        await bench.app.wait(for: end)
        #expect(
            await Array(bench.app.events.dropFirst(before)) == [
                .step(0x21),
                .displayed(.authentication, .text("Sign in to Example Bank")), .step(0x23),
                end,
            ])
    }

    @Test(arguments: [RequestKind.authentication, .transaction])
    func `a rejection is a success, and asks for nothing`(kind: RequestKind) async throws {
        let bench = try await DoorBench.joined()
        await bench.app.prefer(.reject)
        let request =
            kind == .transaction
            ? try await bench.site.transaction() : try await bench.site.pinLogin()
        try await bench.execute()
        await bench.app.wait(for: .success(kind, .refused, token: false))
        #expect(await bench.site.status(request) == .refused)
        #expect(await bench.handset.user.answerRequests.isEmpty)
    }

    @Test func `a command that nobody handles is an error, and starts nothing`() async throws {
        let bench = try await DoorBench.joined()
        await bench.door.setRemoteTransactionDelegate(nil)
        _ = try await bench.site.transaction()
        try await bench.execute()
        await bench.app.wait(for: .error(.handlerNotSet))
        #expect(await bench.site.server.commands(0x31).isEmpty)
    }

    @Test func `what is no command is an error`() async throws {
        let bench = try await DoorBench.joined()
        await bench.door.execute("hello")
        await bench.door.execute("4F4F4331")
        #expect(await bench.app.count(.error(.commandMalformed)) >= 1)
        #expect(
            await bench.app.events.suffix(2).allSatisfy {
                if case .error = $0 { true } else { false }
            })
    }

    @Test func `a reply executed again is refused`() async throws {
        let bench = try await DoorBench.joined()
        _ = try await bench.site.login()
        try await bench.execute()
        await bench.app.wait(for: .success(.authentication, .accepted, token: false))
        let before = await bench.app.events
        let replies = await bench.site.server.exchanges.compactMap(\.reply)
        for (index, reply) in replies.enumerated() {
            await bench.door.execute(reply.hex)
            // One after the other: only so many wait in the door's queue.
            await bench.app.wait { $0.count > before.count + index }
        }
        let after = await bench.app.events.dropFirst(before.count)
        #expect(after.count == replies.count)
        #expect(
            after.allSatisfy { if case .error = $0 { true } else { false } }, "\(Array(after))")
        #expect(try await bench.handset.state == .active)
    }

    @Test func `an unproved error is told, and the true reply is still taken`() async throws {
        let bench = try await DoorBench.joined()
        _ = try await bench.site.login()
        await bench.site.tenant.next(reply: OneSpanSimulator.ReplyFault.clearError(-1300))
        try await bench.execute()
        await bench.app.wait(for: .serverError(-1300, isAuthenticated: false))
        let fetch = try #require(await bench.site.server.commands(0x21).last)
        let reply = try #require(try await bench.site.server.post(fetch))
        await bench.door.execute(reply.hex)
        await bench.app.wait(for: .success(.authentication, .accepted, token: false))
    }

    @Test func `a proved error reaches the app as the server's`() async throws {
        let bench = try await DoorBench.joined()
        _ = try await bench.site.login()
        try await bench.site.tenant.lock(Sample.user)
        try await bench.execute()
        await bench.app.wait(for: .serverError(-1101, isAuthenticated: true))
    }

    @Test func `a wrong password is told, and asked for again`() async throws {
        let bench = try await DoorBench.joined()
        let request = try await bench.site.pinLogin()
        await bench.handset.user.type(Sample.wrongPIN)
        let gate = Gate(letsCancelledPass: true)
        await bench.site.server.next(.holdReply(gate), at: 0x23)
        try await bench.execute()
        await gate.arrival()
        await bench.handset.user.type(Sample.pin)
        await gate.open()
        await bench.app.wait(for: .success(.authentication, .accepted, token: false))
        let errors = await bench.app.events.filter {
            if case .passwordError(.authentication, let left) = $0 {
                (1...4).contains(left ?? -1)
            } else {
                false
            }
        }
        #expect(errors.count == 1)
        #expect(await bench.site.status(request) == .accepted)
        #expect(await bench.app.events.filter(\.isDisplay).count == 1)
    }

    @Test func `only the first decision of a user counts`() async throws {
        let bench = try await DoorBench.joined()
        await bench.app.prefer(.wait)
        let request = try await bench.site.login()
        try await bench.execute()
        await bench.app.wait { $0.contains(where: \.isDisplay) }
        let caller = try #require(await bench.app.callers.first)
        caller.onDataRejected()
        caller.onDataApproved()
        await bench.app.wait(for: .success(.authentication, .refused, token: false))
        caller.onDataApproved()
        #expect(await bench.site.status(request) == .refused)
        #expect(await bench.site.server.commands(0x23).count == 1)
    }
}

import Foundation
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// The vendor's own vocabulary: who is told what, and when
/// (`docs/vendors/onespan.md#documented-names`).
@Suite(.timeLimit(.minutes(10))) struct OrchestratorTests {
    @Test func `activation and registration, step for step`() async throws {
        let app = await OneSpanApp(try OneSpanHarness(relays: false))
        try await app.activate()
        #expect(
            await app.events == [.step(0x01), .step(0x03), .step(0x05), .step(0x07), .activated])
        #expect(try await app.door.isUserActivated(OneSpanApp.user))
        #expect(try await app.harness.enrollment().state == .pending(.deviceToken))
        try await app.register()
        #expect(await app.events.suffix(2) == [.step(0x10), .registered(OneSpanHarness.name)])
        #expect(try await app.harness.enrollment().state == .active)
        #expect(
            await app.harness.simulator.devices(of: OneSpanHarness.name).first?.isActivated == true)
    }

    @Test func `an unchanged identifier is a success without a command`() async throws {
        let app = try await OneSpanApp.active()
        try await app.register()
        #expect(await app.events == [.registered(OneSpanHarness.name)])
    }

    @Test func `a registration for nobody is an error at the start`() async throws {
        let app = await OneSpanApp(try OneSpanHarness(relays: false))
        let error = try await refusal { try await app.register() }
        #expect(error.oneSpan == .notActivated)
    }

    @Test(arguments: [
        ("", ActivationInputProblem.activationPasswordNullOrEmpty),
        ("K7M2Q9X", .activationPasswordWrongLength),
        ("K7M2Q9XE", .activationPasswordWrongChecksum),
    ])
    func `a mistyped activation password is an input error`(
        typed: String, problem: ActivationInputProblem
    ) async throws {
        let app = try await OneSpanApp()
        try await app.activate(typed)
        #expect(await app.events == [.activationInput(problem)])
        #expect(await app.harness.user.requests.isEmpty)
    }

    @Test func `a wrong activation password is the server's error`() async throws {
        let app = await OneSpanApp(try OneSpanHarness(relays: false))
        _ = try await app.harness.simulator.invitation(for: OneSpanHarness.name)
        try await app.activate("K7M2Q9XD")
        #expect(await app.news == [.serverError(-1201, isAuthenticated: true)])
    }

    @Test func `a user who chooses no password aborts the activation`() async throws {
        let app = await OneSpanApp(
            try OneSpanHarness(relays: false, user: ScriptedUser(isWilling: false)))
        try await app.activate()
        #expect(await app.events == [.activationAborted])
    }

    @Test func `an activation whose command goes nowhere can be given up`() async throws {
        let app = await OneSpanApp(try OneSpanHarness(relays: false), carries: false)
        async let activation: Void = app.activate()
        await app.wait(for: .step(0x01))
        let second = try await refusal { try await app.activate() }
        #expect(second.oneSpan == .workflowInProgress)
        try await app.door.cancel()
        try await activation
        #expect(await app.events == [.step(0x01), .activationAborted])
        #expect(try await app.door.users().isEmpty)
    }

    // MARK: Requests

    @Test func `a missing user identifier, too`() async throws {
        let app = try await OneSpanApp()
        try await app.activate("K7M2Q9XD", name: "")
        #expect(await app.events == [.activationInput(.userIDNullOrEmpty)])
    }

    @Test(arguments: [UInt8(0x01), 0x03, 0x05])
    func `an activation can be cancelled while a reply is awaited`(type: UInt8) async throws {
        let app = try await OneSpanApp()
        let password = try await app.site.password()
        let gate = Gate(letsCancelledPass: true)
        await app.site.server.next(.holdReply(gate), at: type)
        async let activating: Void = app.activate(password)
        await gate.arrival()
        try await app.door.cancel()
        try await activating
        await gate.open()
        #expect(await app.events.last == .activationAborted)
        #expect(await app.site.server.types.last == type)
        #expect(await app.harness.store.credentials == 0)
        try await app.activate(password)
        #expect(await app.events.contains(.activated))
    }

    @Test func `an activation can be cancelled while its last reply is awaited`() async throws {
        let app = try await OneSpanApp()
        let gate = Gate(letsCancelledPass: true)
        await app.site.server.next(.holdReply(gate), at: 0x07)
        async let activating: Void = app.activate()
        await gate.arrival()
        try await app.door.cancel()
        try await activating
        await gate.open()
        #expect(await app.events.last == .activationAborted)
        #expect(try await app.door.users().isEmpty)
        #expect(await app.harness.store.credentials == 0)
    }

    @Test(arguments: [RemoteAuthenticationResult.RemoteSessionState.accepted, .refused])
    func `a login ends in success, accepted or refused`(
        state: RemoteAuthenticationResult.RemoteSessionState
    ) async throws {
        let app = try await OneSpanApp.active(
            taste: state == .accepted ? .approve : .reject)
        let (command, login) = try await app.pushed()
        await app.door.execute(command.hex.lowercased())
        await app.wait(for: .success(.authentication, state, token: false))
        #expect(
            await app.events == [
                .step(0x21), .displayed(.authentication, .text("Sign in to Example Bank")),
                .step(0x23), .success(.authentication, state, token: false),
            ])
        let status = try await app.harness.simulator.status(of: login.id)
        #expect(status == (state == .accepted ? .approved : .denied))
        // The ledger has it: the door has no answer of its own.
        let records = try await app.harness.authenticator.records()
        #expect(
            records.map(\.state) == [
                .answered(state == .accepted ? .approve : .deny(.unexpected), .delivered)
            ])
    }

    @Test(arguments: [RemoteAuthenticationResult.RemoteSessionState.accepted, .refused])
    func `the token of an accepted login reaches the delegate, and a rejection has none`(
        state: RemoteAuthenticationResult.RemoteSessionState
    ) async throws {
        let app = try await OneSpanApp.active(
            taste: state == .accepted ? .approve : .reject)
        await app.harness.simulator.configure { $0.authToken = "e30.e30.sig" }
        await app.door.execute(try await app.pushed().0)
        await app.wait(for: .success(.authentication, state, token: state == .accepted))
        let tokens = await app.tokens.map { $0?.withBytes { Array($0) } }
        #expect(tokens == [state == .accepted ? Array("e30.e30.sig".utf8) : nil])
        #expect(!"\(await app.tokens)".contains("e30"))
    }

    @Test func `a transaction goes to its own delegate`() async throws {
        let app = try await OneSpanApp.active()
        await app.door.setRemoteAuthenticationDelegate(nil)
        _ = try await app.harness.simulator.startTransaction(
            of: OneSpanHarness.name, fields: [.init("Amount", "1.00 EUR")])
        await app.door.execute(try app.harness.command(try await app.harness.push()))
        await app.wait(for: .success(.transaction, .accepted, token: false))
        #expect(
            await app.events.contains(
                .displayed(.transaction, .fields([.init("Amount", "1.00 EUR")]))))
    }

    @Test func `a request without a delegate is an error, and nothing is fetched`() async throws {
        let app = try await OneSpanApp.active()
        await app.door.setRemoteAuthenticationDelegate(nil)
        let sent = await app.harness.sent
        await app.door.execute(try await app.pushed().0)
        #expect(await app.events == [.error(.handlerNotSet)])
        #expect(await app.harness.sent == sent)
    }

    @Test func `a wrong password is told, and asked for again`() async throws {
        let app = try await OneSpanApp.active()
        await app.harness.user.type("000000", "135790")
        await app.door.execute(try await app.pushed().0)
        await app.wait(for: .success(.authentication, .accepted, token: false))
        #expect(await app.events.filter(\.isDisplay).count == 1)
        #expect(
            await app.news.suffix(2) == [
                .passwordError(.authentication, 2),
                .success(.authentication, .accepted, token: false),
            ])
    }

    @Test func `a third wrong password is the server's error`() async throws {
        let app = try await OneSpanApp.active()
        await app.harness.user.type("000000")
        await app.door.execute(try await app.pushed().0)
        await app.wait(for: .serverError(-1600, isAuthenticated: true))
        #expect(
            await app.news.suffix(3) == [
                .passwordError(.authentication, 2), .passwordError(.authentication, 1),
                .serverError(-1600, isAuthenticated: true),
            ])
    }

    @Test func `a command of nobody's changes nothing`() async throws {
        let app = try await OneSpanApp.active()
        await app.door.execute("not hexadecimal")
        await app.door.execute(String(repeating: "00", count: 64))
        #expect(
            await app.events == [
                .error(.commandMalformed), .error(.commandMalformed),
            ])
        #expect(try await app.harness.authenticator.records().isEmpty)
    }

    @Test(arguments: [RequestKind.authentication, .transaction])
    func `a rejection is a success, and asks for nothing`(kind: RequestKind) async throws {
        let app = try await OneSpanApp.joined()
        await app.prefer(.reject)
        let request =
            kind == .transaction
            ? try await app.site.transaction() : try await app.site.pinLogin()
        try await app.execute()
        await app.wait(for: .success(kind, .refused, token: false))
        #expect(await app.site.status(request) == .refused)
        #expect(await app.harness.user.answerRequests.isEmpty)
    }

    @Test func `a reply executed again is refused`() async throws {
        let app = try await OneSpanApp.joined()
        _ = try await app.site.login()
        try await app.execute()
        await app.wait(for: .success(.authentication, .accepted, token: false))
        let before = await app.events
        let replies = await app.site.server.exchanges.compactMap(\.reply)
        for (index, reply) in replies.enumerated() {
            await app.door.execute(reply.hex)
            // One after the other: only so many wait in the door's queue.
            await app.wait { $0.count > before.count + index }
        }
        let after = await app.events.dropFirst(before.count)
        #expect(after.count == replies.count)
        #expect(
            after.allSatisfy { if case .error = $0 { true } else { false } }, "\(Array(after))")
        #expect(try await app.harness.state == .active)
    }

    @Test func `an unproved error is told, and the true reply is still taken`() async throws {
        let app = try await OneSpanApp.joined()
        _ = try await app.site.login()
        await app.site.tenant.next(reply: OneSpanSimulator.ReplyFault.clearError(-1300))
        try await app.execute()
        await app.wait(for: .serverError(-1300, isAuthenticated: false))
        let fetch = try #require(await app.site.server.commands(0x21).last)
        let reply = try #require(try await app.site.server.post(fetch))
        await app.door.execute(reply.hex)
        await app.wait(for: .success(.authentication, .accepted, token: false))
    }

    @Test func `a proved error reaches the app as the server's`() async throws {
        let app = try await OneSpanApp.joined()
        _ = try await app.site.login()
        try await app.site.tenant.lock(Sample.user)
        try await app.execute()
        await app.wait(for: .serverError(-1101, isAuthenticated: true))
    }

    @Test func `only the first decision of a user counts`() async throws {
        let app = try await OneSpanApp.joined()
        await app.prefer(.wait)
        let request = try await app.site.login()
        try await app.execute()
        await app.wait { $0.contains(where: \.isDisplay) }
        let caller = try #require(await app.callers.first)
        caller.onDataRejected()
        caller.onDataApproved()
        await app.wait(for: .success(.authentication, .refused, token: false))
        caller.onDataApproved()
        #expect(await app.site.status(request) == .refused)
        #expect(await app.site.server.commands(0x23).count == 1)
    }
}

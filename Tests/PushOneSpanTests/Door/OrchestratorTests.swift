import Foundation
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// OneSpan's door: delegates, and an app that carries commands by itself.
@Suite(.timeLimit(.minutes(10))) struct OrchestratorTests {
    @Test func `activation and registration, step for step`() async throws {
        let app = App(try OneSpanHarness(relays: false))
        await app.listen()
        try await app.activate()
        #expect(await app.diary.heard == [.step, .step, .step, .step, .activated])
        #expect(try await app.orchestrator.isUserActivated(App.user))
        #expect(try await app.harness.enrollment().state == .pending(.deviceToken))
        try await app.register(StepDelegate(app))
        #expect(await app.diary.heard.suffix(2) == [.step, .registered(OneSpanHarness.name)])
        #expect(try await app.harness.enrollment().state == .active)
        #expect(
            await app.harness.simulator.devices(of: OneSpanHarness.name).first?.isActivated == true)
    }

    @Test func `a delegate of the guide hears the guide's name, and nothing else`() async throws {
        let app = try await App.active()
        try await app.register(CompleteDelegate(app), .fcm("another"))
        #expect(await app.diary.heard == [.complete, .registered(OneSpanHarness.name)])
    }

    @Test func `a delegate with neither method is an error at the start`() async throws {
        let app = try await App.active()
        let sent = await app.harness.sent
        let error = try await refusal {
            try await app.register(SilentDelegate(app), .fcm("another"))
        }
        #expect(error.oneSpan == .handlerNotSet)
        #expect(await app.diary.heard.isEmpty)
        #expect(await app.harness.sent == sent)
    }

    @Test func `an unchanged identifier is a success without a command`() async throws {
        let app = try await App.active()
        try await app.register(StepDelegate(app))
        #expect(await app.diary.heard == [.registered(OneSpanHarness.name)])
    }

    @Test func `a registration for nobody is an error at the start`() async throws {
        let app = App(try OneSpanHarness(relays: false))
        let error = try await refusal { try await app.register(StepDelegate(app)) }
        #expect(error.oneSpan == .notActivated)
    }

    @Test func `a mistyped activation password is an input error`() async throws {
        let app = App(try OneSpanHarness(relays: false))
        await app.listen()
        try await app.orchestrator.startActivation(
            .init(
                userIdentifier: OneSpanHarness.name,
                activationPassword: Secret(Array("K7M2Q9XE".utf8)),
                delegate: app))
        #expect(await app.diary.heard == [.inputError(.activationPasswordWrongChecksum)])
        #expect(
            ActivationInputProblem.activationPasswordWrongChecksum.rawValue
                == "ACTIVATION_PASSWORD_WRONG_CHECKSUM")
    }

    @Test func `a wrong activation password is the server's error`() async throws {
        let app = App(try OneSpanHarness(relays: false))
        await app.listen()
        _ = try await app.harness.simulator.invitation(for: OneSpanHarness.name)
        try await app.orchestrator.startActivation(
            .init(
                userIdentifier: OneSpanHarness.name,
                activationPassword: Secret(Array("K7M2Q9XD".utf8)),
                delegate: app))
        #expect(await app.diary.news == [.serverError(-1201)])
    }

    @Test func `a user who chooses no password aborts the activation`() async throws {
        let app = App(try OneSpanHarness(relays: false, user: ScriptedUser(isWilling: false)))
        await app.listen()
        try await app.activate()
        #expect(await app.diary.heard == [.aborted])
    }

    @Test func `an activation whose command goes nowhere can be given up`() async throws {
        let app = App(try OneSpanHarness(relays: false), carries: false)
        await app.listen()
        async let activation: Void = app.activate()
        await app.diary.wait(for: .step)
        let second = try await refusal { try await app.activate() }
        #expect(second.oneSpan == .workflowInProgress)
        try await app.orchestrator.cancel()
        try await activation
        #expect(await app.diary.heard == [.step, .aborted])
        #expect(try await app.orchestrator.users().isEmpty)
    }

    // MARK: Requests

    @Test(arguments: [RemoteAuthenticationResult.RemoteSessionState.accepted, .refused])
    func `a login ends in success, accepted or refused`(
        state: RemoteAuthenticationResult.RemoteSessionState
    ) async throws {
        let app = try await App.active(decision: .success(state))
        let (command, login) = try await app.pushed()
        await app.orchestrator.execute(command.hex.lowercased())
        await app.diary.wait(for: .success(state))
        #expect(
            await app.diary.heard == [
                .step, .displayed(.text("Sign in to Example Bank")), .step, .success(state),
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
        let app = try await App.active(decision: .success(state))
        await app.harness.simulator.configure { $0.authToken = "e30.e30.sig" }
        await app.orchestrator.execute(try await app.pushed().0)
        await app.diary.wait(for: .success(state))
        let tokens = await app.diary.tokens.map { $0?.withBytes { Array($0) } }
        #expect(tokens == [state == .accepted ? Array("e30.e30.sig".utf8) : nil])
        #expect(!"\(await app.diary.tokens)".contains("e30"))
    }

    @Test func `a transaction goes to its own delegate`() async throws {
        let app = try await App.active()
        await app.orchestrator.setRemoteAuthenticationDelegate(nil)
        _ = try await app.harness.simulator.startTransaction(
            of: OneSpanHarness.name, fields: [.init("Amount", "1.00 EUR")])
        await app.orchestrator.execute(try app.harness.command(try await app.harness.push()))
        await app.diary.wait(for: .success(.accepted))
        #expect(await app.diary.heard.contains(.displayed(.fields([.init("Amount", "1.00 EUR")]))))
    }

    @Test func `a request without a delegate is an error, and nothing is fetched`() async throws {
        let app = try await App.active()
        await app.orchestrator.setRemoteAuthenticationDelegate(nil)
        let sent = await app.harness.sent
        await app.orchestrator.execute(try await app.pushed().0)
        #expect(await app.diary.heard == [.error(.handlerNotSet)])
        #expect(await app.harness.sent == sent)
    }

    @Test func `a wrong password is told, and asked for again`() async throws {
        let app = try await App.active()
        await app.harness.user.will(enter: "000000", "135790")
        await app.orchestrator.execute(try await app.pushed().0)
        await app.diary.wait(for: .success(.accepted))
        #expect(await app.diary.news.suffix(2) == [.passwordError(2), .success(.accepted)])
    }

    @Test func `a third wrong password is the server's error`() async throws {
        let app = try await App.active()
        await app.harness.user.will(enter: "000000")
        await app.orchestrator.execute(try await app.pushed().0)
        await app.diary.wait(for: .serverError(-1600))
        #expect(
            await app.diary.news.suffix(3) == [
                .passwordError(2), .passwordError(1), .serverError(-1600),
            ])
    }

    @Test func `the app may give up between two tries of a password`() async throws {
        let app = try await App.active()
        await app.harness.user.will(enter: "000000", "135790")
        let (command, login) = try await app.pushed()
        let orchestrator = app.orchestrator
        await app.diary.on(.passwordError(2)) { try? await orchestrator.cancel() }
        let asked = await app.harness.user.requests.count
        await orchestrator.execute(command)
        await app.diary.wait(for: .aborted)
        #expect(
            await app.diary.heard == [
                .step, .displayed(.text("Sign in to Example Bank")), .step, .passwordError(2),
                .aborted,
            ])
        #expect(await app.harness.user.requests.count == asked + 1)
        #expect(try await app.harness.simulator.status(of: login.id) == .waiting)
        // Nothing is left of it: the request can be executed again.
        await orchestrator.execute(command)
        await app.diary.wait(for: .success(.accepted))
        #expect(try await app.harness.simulator.status(of: login.id) == .approved)
    }

    @Test func `the app may give up while the user decides, and tells the server nothing`()
        async throws
    {
        let app = try await App.active(decision: nil)
        let (command, login) = try await app.pushed()
        await app.orchestrator.execute(command)
        await app.diary.wait(for: .displayed(.text("Sign in to Example Bank")))
        let sent = await app.harness.sent
        try await app.orchestrator.cancel()
        await app.diary.wait(for: .aborted)
        #expect(await app.harness.sent == sent)
        #expect(try await app.harness.simulator.status(of: login.id) == .waiting)
    }

    @Test func `a request that ends while the user decides is withdrawn`() async throws {
        let app = try await App.active(decision: nil)
        await app.orchestrator.execute(try await app.pushed().0)
        await app.diary.wait(for: .displayed(.text("Sign in to Example Bank")))
        app.harness.clock.advance(by: .seconds(61))
        await app.diary.wait(for: .outdated(.expired))
    }

    @Test func `a request that was answered is outdated the second time`() async throws {
        let app = try await App.active()
        let (command, _) = try await app.pushed()
        await app.orchestrator.execute(command)
        await app.diary.wait(for: .success(.accepted))
        await app.orchestrator.execute(command)
        await app.diary.wait(for: .outdated(.accepted))
    }

    @Test func `a request that comes meanwhile waits, the same one is ignored`() async throws {
        let app = try await App.active(decision: nil)
        let (first, _) = try await app.pushed()
        await app.orchestrator.execute(first)
        await app.diary.wait(for: .displayed(.text("Sign in to Example Bank")))
        await app.harness.simulator.configure { $0.loginDisplay = .text("The second") }
        let (second, _) = try await app.pushed()
        await app.orchestrator.execute(first)
        await app.orchestrator.execute(second)
        await app.orchestrator.execute(second)
        #expect(await app.diary.news == [.displayed(.text("Sign in to Example Bank"))])
        try await app.orchestrator.cancel()
        await app.diary.wait(for: .displayed(.text("The second")))
        #expect(
            await app.diary.news == [
                .displayed(.text("Sign in to Example Bank")), .aborted,
                .displayed(.text("The second")),
            ])
    }

    @Test func `a fifth waiting request displaces the oldest`() async throws {
        let app = try await App.active(decision: nil)
        for index in 0...5 {
            await app.orchestrator.execute(try await app.pushed().0)
            if index == 0 {
                await app.diary.wait(for: .displayed(.text("Sign in to Example Bank")))
            }
        }
        #expect(await app.diary.heard.filter { $0 == .warning(.requestDisplaced) }.count == 1)
    }

    @Test func `a request that waited for too long is dropped`() async throws {
        let app = try await App.active(decision: nil)
        await app.orchestrator.execute(try await app.pushed().0)
        await app.diary.wait(for: .displayed(.text("Sign in to Example Bank")))
        await app.orchestrator.execute(try await app.pushed().0)
        app.harness.clock.advance(by: .seconds(61))
        await app.diary.wait(for: .warning(.requestTooOld))
    }

    @Test func `a command of nobody's changes nothing`() async throws {
        let app = try await App.active()
        await app.orchestrator.execute("not hexadecimal")
        await app.orchestrator.execute(String(repeating: "00", count: 64))
        #expect(
            await app.diary.heard == [
                .error(.commandMalformed), .error(.commandMalformed),
            ])
        #expect(try await app.harness.authenticator.records().isEmpty)
    }
}

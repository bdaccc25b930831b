import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// OneSpan's user authentication callback: the app's own password and biometric screens.
@Suite(.timeLimit(.minutes(10))) struct UserVerifierTests {
    private static let password = Screens.Act.enter(ScriptedUser.password)

    private func harness(
        _ screens: Screens, relays: Bool = true, hasBiometry: Bool = false
    ) throws -> OneSpanHarness {
        try OneSpanHarness(
            relays: relays, hasBiometry: hasBiometry, verifier: OneSpanUserVerifier(screens))
    }

    private func evidence(
        _ screens: Screens, _ alternatives: [[Factor]]
    ) async throws(PushError) -> [Evidence] {
        let id = Challenge.ID("request", of: Enrollment.ID("device", of: "onespan"))
        return try await OneSpanUserVerifier(screens).verify(
            VerificationRequest(.manage(id.enrollment, "Test"), alternatives: alternatives))
    }

    @Test func `a password is chosen at the activation, and entered for a request`() async throws {
        let screens = Screens(Self.password)
        let harness = try harness(screens)
        try await harness.activate()
        #expect(await screens.opened == [.init(type: .password, isEnrollment: true)])
        let (login, id) = try await harness.login()
        let challenge = try await harness.authenticator.challenge(id)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(
            await screens.opened.dropFirst() == [.init(type: .password, isEnrollment: false)])
        #expect(try await harness.simulator.status(of: login.id) == .approved)
    }

    @Test func `what the user entered is what the server checks`() async throws {
        let screens = Screens(Self.password)
        let harness = try harness(screens)
        try await harness.activate()
        let (login, id) = try await harness.login()
        let challenge = try await harness.authenticator.challenge(id)
        await screens.will(.enter("000000"))
        let outcome = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(
            outcome
                == .notTaken(
                    .init(.verification, mayRetry: true, appliesToAllCopies: true, attemptsLeft: 2))
        )
        #expect(try await harness.simulator.status(of: login.id) == .waiting)
    }

    @Test(arguments: [Screens.Act.biometry, password])
    func `biometry approves what asks for it, and so does the password in its place`(
        act: Screens.Act
    ) async throws {
        let screens = Screens(Self.password, .biometry)
        let harness = try harness(screens, hasBiometry: true)
        try await harness.activate()
        #expect(
            await screens.opened == [
                .init(type: .password, isEnrollment: true),
                .init(type: .biometric, isEnrollment: true),
            ])
        let (login, id) = try await harness.login(.biometric)
        let challenge = try await harness.authenticator.challenge(id)
        await screens.will(act)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await screens.opened.last == .init(type: .biometric, isEnrollment: false))
        #expect(try await harness.simulator.status(of: login.id) == .approved)
    }

    @Test func `biometry doesn't stand in for a password`() async throws {
        let screens = Screens(.biometry)
        let harness = try harness(screens)
        let error = try await refusal { try await harness.activate() }
        #expect(error.code == .verificationFailed)
        #expect(await harness.sent == 0)
    }

    @Test func `a user who gives up aborts the activation, and nothing is sent`() async throws {
        let screens = Screens(.giveUp)
        let app = await OneSpanApp(try harness(screens, relays: false))
        try await app.activate()
        #expect(await app.events == [.activationAborted])
        #expect(await app.harness.sent == 0)
    }

    @Test func `a user who gives up aborts the request, and the server isn't told`() async throws {
        let screens = Screens(Self.password)
        let app = try await OneSpanApp.active(screens: screens)
        let (command, login) = try await app.pushed()
        await screens.will(.giveUp)
        await app.door.execute(command)
        await app.wait(for: .aborted(.authentication))
        // Fetched, shown, and no more.
        #expect(
            await app.events == [
                .step(0x21), .displayed(.authentication, .text("Sign in to Example Bank")),
                .aborted(.authentication),
            ])
        #expect(try await app.harness.simulator.status(of: login.id) == .waiting)
    }

    @Test func `the app may give up while a screen is open`() async throws {
        let screens = Screens(Self.password)
        let app = try await OneSpanApp.active(screens: screens)
        let before = await screens.opened.count
        await screens.will(.wait)
        await app.door.execute(try await app.pushed().0)
        await screens.wait(for: before + 1)
        try await app.door.cancel()
        await app.wait(for: .aborted(.authentication))
        // Too late.
        await screens.callbacks.last?.onUserAuthenticationInputSuccess(
            Secret(Array(ScriptedUser.password.utf8)))
        #expect(await app.news.last == .aborted(.authentication))
    }

    @Test func `the app may give up while the screen for a second try is open`() async throws {
        let screens = Screens(Self.password)
        let app = try await OneSpanApp.active(screens: screens)
        let before = await screens.opened.count
        let (command, login) = try await app.pushed()
        await screens.will(.enter("000000"), .wait)
        await app.door.execute(command)
        await screens.wait(for: before + 2)
        let sent = await app.harness.sent
        try await app.door.cancel()
        await app.wait(for: .aborted(.authentication))
        // Too late.
        await screens.callbacks.last?.onUserAuthenticationInputSuccess(
            Secret(Array(ScriptedUser.password.utf8)))
        #expect(
            await app.news.suffix(2) == [
                .passwordError(.authentication, 2), .aborted(.authentication),
            ])
        #expect(await app.harness.sent == sent)
        #expect(try await app.harness.simulator.status(of: login.id) == .waiting)
    }

    @Test func `an empty password is an input error, and is asked for again`() async throws {
        let screens = Screens(.enter(""), .enter(""), Self.password)
        let harness = try harness(screens)
        try await harness.activate()
        #expect(await screens.errors == [.verificationFailed, .verificationFailed])
        #expect(
            await screens.opened
                == Array(repeating: .init(type: .password, isEnrollment: true), count: 3))
    }

    @Test func `only the first call of a screen counts`() async throws {
        let screens = Screens(.wait)
        async let found = evidence(screens, [[.pin]])
        await screens.wait(for: 1)
        let input = try #require(await screens.callbacks.first)
        input.onUserAuthenticationInputSuccess(Secret(Array("first".utf8)))
        input.onUserAuthenticationInputSuccess(Secret(Array("second".utf8)))
        input.onUserAuthenticationInputAborted()
        let pins = try await found.compactMap { evidence in
            if case .pin(let secret) = evidence { secret.withBytes { Array($0) } } else { nil }
        }
        #expect(pins == [Array("first".utf8)])
    }

    @Test func `the first alternative that OneSpan knows is asked for`() async throws {
        let screens = Screens(Self.password)
        _ = try await evidence(screens, [[.presence], [.pin]])
        _ = try await evidence(screens, [[.deviceCredential], [.biometry], [.pin]])
        #expect(
            await screens.opened == [
                .init(type: .password, isEnrollment: false),
                .init(type: .biometric, isEnrollment: false),
            ])
    }

    @Test(arguments: [[], [[]], [[.presence]], [[.code("by mail")]]] as [[[Factor]]])
    func `what OneSpan doesn't ask for opens no screen`(alternatives: [[Factor]]) async throws {
        let screens = Screens(Self.password)
        let error = try await refusal { _ = try await evidence(screens, alternatives) }
        #expect(error.code == .unsupported)
        #expect(await screens.opened.isEmpty)
    }

    @Test func `without a callback nobody is asked, until one is set`() async throws {
        let verifier = OneSpanUserVerifier()
        let harness = try OneSpanHarness(verifier: verifier)
        let error = try await refusal { try await harness.activate() }
        #expect(error.oneSpan == .handlerNotSet)
        #expect(await harness.sent == 0)
        await verifier.setUserAuthenticationCallback(Screens(Self.password))
        #expect(try await harness.activate().state == .active)
    }
}

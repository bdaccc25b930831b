import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushTesting
import Testing

/// Whole logins against the simulated server, which shares no code with the plugin: one run for
/// each AM generation.
@Suite struct FlowTests {
    typealias Generation = ForgeRockSimulator.Generation

    private struct Phone {
        let am: ForgeRockSimulator
        let clock = ManualClock(WorkedExample.issued)
        let faults = FaultPlan()
        let authenticator: PushAuthenticator

        init(
            _ generation: Generation,
            _ change: @Sendable (inout ForgeRockSimulator.Configuration) -> Void = { _ in }
        ) async throws {
            var configuration = ForgeRockSimulator.Configuration(
                generation: generation, realm: "/alpha", issuer: "Example Bank", clock: clock)
            change(&configuration)
            am = ForgeRockSimulator(configuration)
            let environment = PushEnvironment(
                transport: SimulatedTransport(to: am, faults: faults), store: InMemoryStore(),
                verifier: ScriptedVerifier.willing(), clock: clock,
                device: Device(name: "Jane's phone", platform: .apple))
            authenticator = PushAuthenticator(
                try PluginRegistry([ForgeRock(in: environment)]), in: environment)
            try await authenticator.deviceTokenChanged(
                .apns(hex: WorkedExample.token, isSandbox: false))
            let offer = try #require(
                try authenticator.offers(for: await am.invitation(for: "jane")).first)
            #expect(offer.issuer == "Example Bank")
            #expect(try await authenticator.enroll(offer).state == .active)
            #expect(await am.devices(of: "jane").count == 1)
        }

        /// Starts a login and receives its push.
        func login(
            _ kind: SimulatedLogin.Kind
        ) async throws -> (login: SimulatedLogin, notification: PushNotification) {
            let login = try await am.startLogin(of: "jane", asking: kind)
            let push = try #require(await am.takePushes().first)
            let handler = FRAPushHandler(authenticator)
            return (login, try #require(await handler.notification(from: push.message())))
        }

        func accept(_ notification: PushNotification, number: String?) async throws -> Outcome {
            switch notification.pushType {
            case .challenge:
                try await notification.accept(challengeResponse: #require(number))
            case .biometric:
                try await notification.accept(title: "Log in", allowDeviceCredentials: false)
            default: try await notification.accept()
            }
        }

        func wrongNumber(_ notification: PushNotification, than right: String?) throws -> String {
            try #require(
                notification.numbersChallengeArray?.map(String.init).first { $0 != right })
        }
    }

    @Test(arguments: Generation.allCases, SimulatedLogin.Kind.allCases)
    func `a yes logs the user in`(generation: Generation, kind: SimulatedLogin.Kind) async throws {
        let phone = try await Phone(generation)
        let (login, notification) = try await phone.login(kind)
        let expected: PushNotification.PushType =
            switch kind {
            case .number where generation > .a: .challenge
            case .biometry where generation > .a: .biometric
            case .confirm, .number, .biometry: .default
            }
        #expect(notification.pushType == expected)
        #expect(notification.timeAdded == WorkedExample.issued)
        #expect(try await phone.am.status(of: login.id) == .waiting)
        #expect(try await phone.accept(notification, number: login.shown) == .delivered)
        #expect(try await phone.am.status(of: login.id) == .approved)
    }

    @Test(arguments: Generation.allCases, SimulatedLogin.Kind.allCases)
    func `a no keeps whoever asks out`(generation: Generation, kind: SimulatedLogin.Kind)
        async throws
    {
        let phone = try await Phone(generation)
        let (login, notification) = try await phone.login(kind)
        #expect(try await notification.deny() == .delivered)
        #expect(try await phone.am.status(of: login.id) == .denied)
    }

    @Test(arguments: [Generation.b, .c])
    func `up to 8.0.2 a wrong number is taken, and the login fails`(generation: Generation)
        async throws
    {
        let phone = try await Phone(generation)
        let (login, notification) = try await phone.login(.number)
        let wrong = try phone.wrongNumber(notification, than: login.shown)
        #expect(try await notification.accept(challengeResponse: wrong) == .delivered)
        #expect(try await phone.am.status(of: login.id) == .failed)
    }

    @Test func `from 8.1 a wrong number is refused at once, and the right one still counts`()
        async throws
    {
        let phone = try await Phone(.d)
        let (login, notification) = try await phone.login(.number)
        let wrong = try phone.wrongNumber(notification, than: login.shown)
        guard case .notTaken(let refusal) = try await notification.accept(challengeResponse: wrong)
        else {
            Issue.record("A wrong number isn't taken.")
            return
        }
        #expect(refusal.mayRetry)
        #expect(try await notification.isPending)
        let right = try #require(login.shown)
        #expect(try await notification.accept(challengeResponse: right) == .delivered)
        #expect(try await phone.am.status(of: login.id) == .approved)
    }

    @Test(arguments: Generation.allCases)
    func `a lost reply is made good by a repeat`(generation: Generation) async throws {
        let phone = try await Phone(generation)
        let (login, notification) = try await phone.login(.number)
        await phone.faults.next(.dropAfter)
        guard case .unknown = try await phone.accept(notification, number: login.shown) else {
            Issue.record("A lost reply is no word of AM.")
            return
        }
        #expect(
            try await phone.authenticator.resume() == [notification.id: .delivered])
        #expect(try await phone.am.status(of: login.id) == .approved)
    }

    // The module's copy gets 400: `docs/vendors/forgerock.md#what-each-reply-means`.
    @Test func `the old module takes one answer, so its repeat stays unknown`() async throws {
        let phone = try await Phone(.b) { $0.usesAuthenticationModule = true }
        let (login, notification) = try await phone.login(.confirm)
        await phone.faults.next(.dropAfter)
        _ = try await notification.accept()
        guard case .unknown = try await phone.authenticator.resume()[notification.id] else {
            Issue.record("The module's 400 to a repeat says nothing.")
            return
        }
        #expect(try await notification.isApproved)
        #expect(try await phone.am.status(of: login.id) == .approved)
    }

    @Test(arguments: Generation.allCases)
    func `an answer that comes after the end isn't taken`(generation: Generation) async throws {
        let phone = try await Phone(generation)
        let (login, notification) = try await phone.login(.confirm)
        phone.clock.advance(by: .seconds(600))
        #expect(notification.isExpired(at: phone.clock.now))
        guard case .notTaken = try await notification.accept() else {
            Issue.record("AM has forgotten the message.")
            return
        }
        #expect(try await phone.am.status(of: login.id) == .expired)
    }

    @Test(arguments: Generation.allCases)
    func `a new device token reaches AM from 8.0.1 on`(generation: Generation) async throws {
        let phone = try await Phone(generation)
        let failures = try await phone.authenticator.deviceTokenChanged(
            .apns(hex: WorkedExample.newToken, isSandbox: false))
        let known = try #require(await phone.am.devices(of: "jane").first)
        if generation >= .c {
            #expect(failures.isEmpty)
            #expect(known.deviceToken == .apns(hex: WorkedExample.newToken, isSandbox: false))
        } else {
            #expect(failures.values.map(\.code) == [.unsupported])
            #expect(known.deviceToken == .apns(hex: WorkedExample.token, isSandbox: false))
        }
    }

    @Test(arguments: Generation.allCases, SimulatedLogin.Kind.allCases)
    func `a copy under another message id that came first keeps nobody from logging in`(
        generation: Generation, kind: SimulatedLogin.Kind
    ) async throws {
        let phone = try await Phone(generation)
        let login = try await phone.am.startLogin(of: "jane", asking: kind)
        let push = try #require(await phone.am.takePushes().first)
        var payload = try push.message().content
        var aps = try #require(payload["aps"]?.object)
        aps["messageId"] = "AUTHENTICATE:00000000-0000-0000-0000-0000000000001760000300000"
        payload = ["aps": .object(aps)]
        let handler = FRAPushHandler(phone.authenticator)
        _ = try await handler.notification(from: PushMessage(json: payload.data))
        let notification = try #require(await handler.notification(from: push.message()))
        #expect(try await phone.accept(notification, number: login.shown) == .delivered)
        #expect(try await phone.am.status(of: login.id) == .approved)
    }

    @Test(arguments: Generation.allCases)
    func `a realm without a push service says so, and the user may answer later`(
        generation: Generation
    ) async throws {
        let phone = try await Phone(generation)
        let (login, notification) = try await phone.login(.confirm)
        await phone.am.configure { $0.hasPushService = false }
        guard case .notTaken(let refusal) = try await notification.accept() else {
            Issue.record("Nobody took it.")
            return
        }
        #expect(refusal.reason == .unavailable)
        await phone.am.configure { $0.hasPushService = true }
        #expect(try await notification.accept() == .delivered)
        #expect(try await phone.am.status(of: login.id) == .approved)
    }

    @Test(arguments: [
        ForgeRockSimulator.BadPush.tampered(claim: "n", value: "17,43,86"),
        .tampered(claim: "m", value: "Pay nothing"), .wrongKey, .unsigned, .signedWithHS384,
        .missing(claim: "c"), .missing(claim: "u"),
    ])
    func `a bad push is refused`(fault: ForgeRockSimulator.BadPush) async throws {
        let phone = try await Phone(.d)
        let login = try await phone.am.startLogin(of: "jane", asking: .number, spoiledBy: fault)
        let push = try #require(await phone.am.takePushes().first).message()
        await #expect(throws: PushError.self) { _ = try await phone.authenticator.receive(push) }
        #expect(try await phone.authenticator.records().isEmpty)
        #expect(try await phone.am.status(of: login.id) == .waiting)
    }

    @Test(arguments: [
        ForgeRockSimulator.EnrollmentOptions.Kind.pushAndTOTP, .pushAndHOTP,
    ])
    func `a combined code enrolls as well`(kind: ForgeRockSimulator.EnrollmentOptions.Kind)
        async throws
    {
        let phone = try await Phone(.c) { configuration in
            configuration.enrollment = .init(kind)
            configuration.enrollment.policies = #"{"biometricAvailable":{}}"#
            configuration.enrollment.image = "https://am.example.com/logo.png"
        }
        let (login, notification) = try await phone.login(.confirm)
        #expect(try await notification.accept() == .delivered)
        #expect(try await phone.am.status(of: login.id) == .approved)
    }
}

import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting

/// What an app does at OneSpan's door.
extension App {
    static let user = OrchestrationUser(OneSpanHarness.name, domain: "example-domain")

    /// An app whose user is active.
    static func active(
        decision: Heard? = .success(.accepted), user: ScriptedUser = ScriptedUser()
    ) async throws -> App {
        let app = App(
            try await OneSpanHarness.activated(relays: false, user: user), decision: decision)
        await app.listen()
        return app
    }

    /// An app whose user is active, with screens of its own.
    static func active(screens: Screens) async throws -> App {
        let verifier = OneSpanUserVerifier(screens)
        let harness = try OneSpanHarness(verifier: verifier)
        try await harness.activate()
        let app = App(try OneSpanHarness(relays: false, verifier: verifier, sharing: harness))
        await app.listen()
        return app
    }

    func activate() async throws {
        guard
            case .credentials(_, let password) = try await harness.simulator.invitation(
                for: OneSpanHarness.name)
        else { return }
        try await orchestrator.startActivation(
            .init(userIdentifier: OneSpanHarness.name, activationPassword: password, delegate: self)
        )
    }

    func register(
        _ delegate: any NotificationRegistrationDelegate,
        _ token: DeviceToken = OneSpanHarness.token
    ) async throws {
        let identifier = try await orchestrator.registerNotificationService(token)
        try await orchestrator.startNotificationRegistration(
            .init(
                orchestrationUser: Self.user, notificationIdentifier: identifier,
                delegate: delegate))
    }

    /// A login's command, as the Notification SDK parses it.
    func pushed(
        _ method: OneSpanSimulator.AuthenticationMethod = .password
    ) async throws -> (OrchestrationCommand, SimulatedLogin) {
        await harness.simulator.configure { $0.confirmMethod = method }
        let login = try await harness.simulator.startLogin(
            of: OneSpanHarness.name, asking: .confirm)
        return (try harness.command(try await harness.push()), login)
    }
}

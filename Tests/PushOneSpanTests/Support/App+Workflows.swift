import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting

/// What an app does at OneSpan's door.
extension App {
    static let user = OrchestrationUser(World.name, domain: "example-domain")

    /// An app whose user is active.
    static func active(
        decision: Heard? = .success(.accepted), user: ScriptedUser = ScriptedUser()
    ) async throws -> App {
        let app = App(try await World.activated(relays: false, user: user), decision: decision)
        await app.listen()
        return app
    }

    /// An app whose user is active, with screens of its own.
    static func active(screens: Screens) async throws -> App {
        let verifier = OneSpanUserVerifier(screens)
        let world = try World(verifier: verifier)
        try await world.activate()
        let app = App(try World(relays: false, verifier: verifier, sharing: world))
        await app.listen()
        return app
    }

    func activate() async throws {
        guard
            case .credentials(_, let password) = try await world.simulator.invitation(
                for: World.name)
        else { return }
        try await orchestrator.startActivation(
            .init(userIdentifier: World.name, activationPassword: password, delegate: self))
    }

    func register(
        _ delegate: any NotificationRegistrationDelegate, _ token: DeviceToken = World.token
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
        await world.simulator.configure { $0.confirmMethod = method }
        let login = try await world.simulator.startLogin(of: World.name, asking: .confirm)
        return (try world.command(try await world.push()), login)
    }
}

import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting

/// What an app does at OneSpan's door.
extension OneSpanApp {
    static let user = OrchestrationUser(Sample.user, domain: Sample.domain)

    /// An app on a device of its own, without a relay.
    init(_ site: Site = Site(), instance: String? = nil) async throws {
        var setup = OneSpanHarness.Setup()
        setup.hasRelay = false
        setup.instance = instance
        await self.init(try await OneSpanHarness(site, setup: setup))
    }

    /// An app whose user was activated and registered through the door.
    static func joined(_ site: Site = Site(), instance: String? = nil) async throws -> OneSpanApp {
        let app = try await OneSpanApp(site, instance: instance)
        try await app.activate()
        try await app.register()
        return app
    }

    /// An app whose user is active, and that was told nothing yet.
    static func active(taste: Taste = .approve) async throws -> OneSpanApp {
        await OneSpanApp(try await OneSpanHarness.activated(relays: false), taste: taste)
    }

    /// An app whose user is active, with screens of its own.
    static func active(screens: Screens) async throws -> OneSpanApp {
        let verifier = OneSpanUserVerifier(screens)
        let harness = try OneSpanHarness(verifier: verifier)
        try await harness.activate()
        return await OneSpanApp(
            try OneSpanHarness(relays: false, verifier: verifier, sharing: harness))
    }

    func activate(_ password: String? = nil, name: String = Sample.user) async throws {
        var typed = password
        if typed == nil { typed = try await site.password(of: name) }
        try await door.startActivation(
            .init(
                userIdentifier: name, activationPassword: Secret(Array((typed ?? "").utf8)),
                delegate: self))
    }

    /// Registers a token, `nil` for the harness's own; a delegate is told, or else the app.
    func register(
        _ token: DeviceToken? = nil, telling delegate: (any NotificationRegistrationDelegate)? = nil
    ) async throws {
        let identifier = try await door.registerNotificationService(token ?? .fcm(harness.token))
        try await door.startNotificationRegistration(
            .init(
                orchestrationUser: try await knownUser(), notificationIdentifier: identifier,
                delegate: delegate ?? self))
    }

    func knownUser() async throws -> OrchestrationUser { try await door.users().first ?? Self.user }

    /// Hands over the commands that were pushed.
    func execute() async throws {
        for message in try await harness.pushes() {
            await door.execute(try harness.command(message))
        }
    }

    /// A login's command, as the Notification SDK parses it.
    func pushed(
        _ method: OneSpanSimulator.AuthenticationMethod = .password
    ) async throws -> (OrchestrationCommand, SimulatedLogin) {
        await harness.simulator.configure { $0.confirmMethod = method }
        let login = try await harness.simulator.startLogin(of: Sample.user, asking: .confirm)
        return (try harness.command(try await harness.push()), login)
    }

    func changePassword(from old: String = Sample.pin, to new: String) async throws {
        await harness.user.type(old)
        await harness.user.choose(new)
        try await startChangePassword()
    }

    /// Changes the password by what the user enters.
    func startChangePassword() async throws {
        try await door.startChangePassword(
            .init(orchestrationUser: try await knownUser(), delegate: self))
    }

    /// The same device after its process was killed.
    func restarted() async throws -> OneSpanApp { await OneSpanApp(try await harness.restarted()) }
}

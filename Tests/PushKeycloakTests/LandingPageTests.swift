import PushCore
import PushKeycloak
import PushKeycloakSimulator
import PushTesting
import Testing

/// The code of `PushKeycloak.docc`, at a realm.
@Suite struct LandingPageTests {
    @Test func `the lines of the landing page enroll, and approve a login`() async throws {
        let vendor = KeycloakSimulator(clock: ManualClock(Sample.now))
        let environment = PushEnvironment(
            transport: SimulatedTransport(to: vendor), store: InMemoryStore(),
            verifier: ScriptedVerifier.willing(), clock: ManualClock(Sample.now),
            device: Device(name: "Jane's phone"))
        let clientSecret = Secret(copying: "device-client-secret")
        let code = try await vendor.enrollmentCode(for: "ada")
        // snippet: enroll
        let realm = try KeycloakConfiguration.Realm(
            issuer: "https://sso.example/realms/demo", clientID: "push-device-client",
            clientSecret: clientSecret)
        let keycloak = Keycloak(
            configuration: KeycloakConfiguration(realms: [realm]), in: environment)
        let authenticator = PushAuthenticator(try PluginRegistry([keycloak]), in: environment)
        guard let offer = try authenticator.offers(for: .scanned(text: code)).first else { return }
        let enrollment = try await authenticator.enroll(offer)
        // end snippet
        #expect(enrollment.state == .active)
        try await authenticator.deviceTokenChanged(Sample.token)
        let login = try await vendor.startLogin(of: "ada", asking: .confirm)
        let push = try #require(await vendor.takePushes().first)
        let data = [
            "token": try #require(try JSON(parsing: push.payload)["token"]?.string)
        ]
        // snippet: approve
        for id in try await authenticator.receive(PushMessage(fcm: data)).compactMap(\.challenge) {
            let challenge = try await authenticator.challenge(id)
            _ = try await authenticator.resolve(challenge, with: .approve)
        }
        // end snippet
        #expect(try await vendor.status(of: login.id) == .approved)
    }
}

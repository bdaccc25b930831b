import PushCore
import PushKeycloak
import PushKeycloakSimulator
import PushTesting

extension Vendor {
    /// Keycloak with its extension, which shows a number or takes a typed one.
    public static let keycloak = Vendor("keycloak") { site in
        // An RSA pair takes longer than a whole schedule.
        var configuration = KeycloakSimulator.Configuration(
            algorithm: .es256, clock: site.clock, random: site.random)
        let lifetime = site.drawnLifetime()
        configuration.loginLifetime = .milliseconds(lifetime)
        configuration.maxPendingChallenges = 8
        // The devices of one user come one after the other.
        configuration.askedCredential = .last
        configuration.sendsDate = true
        let first = site.random.bytes(1).withBytes { $0[0] }
        if first % 2 == 0 { configuration.numberCheck = .pin(length: 2) }
        if first % 3 == 0 { configuration.usesRequestURI = true }
        let simulator = KeycloakSimulator(configuration)
        return Plugin(
            simulator: simulator, provider: { keycloakProvider(in: $0) },
            kinds: [.confirm, .number],
            // Where its realm's keys can't be had, a push is a hint.
            pushesAreHints: true, lifetime: lifetime)
    }

    private static func keycloakProvider(in environment: PushEnvironment) -> (any PushProvider)? {
        let realm = try? KeycloakConfiguration.Realm(
            issuer: "https://sso.example/realms/demo", clientID: "push-device-client",
            clientSecret: Secret(copying: "device-client-secret"))
        return realm.map {
            Keycloak(configuration: KeycloakConfiguration(realms: [$0]), in: environment)
        }
    }
}

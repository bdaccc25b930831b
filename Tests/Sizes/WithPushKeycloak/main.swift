import PushCore
import PushKeycloak
import Receiving

try await receive {
    let realm = try KeycloakConfiguration.Realm(
        issuer: "https://sso.example/realms/demo", clientID: "app", clientSecret: Secret([]))
    return [Keycloak(configuration: .init(realms: [realm]), in: $0)]
}

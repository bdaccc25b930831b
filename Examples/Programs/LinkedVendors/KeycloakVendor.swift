import PushCore
import PushKeycloak
public import VendorRegistration

extension LinkedVendor {
    /// Keycloak with the push MFA extension; each section is one realm.
    public static let keycloak = LinkedVendor(
        "keycloak", messages: "token, a JWT with iss, cid and credId, or a link with one",
        standard: KeycloakSection?.none, servers: { [$0.issuer] }
    ) { (section, place) throws(PushError) in
        var configuration = KeycloakConfiguration(realms: [
            try .init(
                issuer: section.issuer, clientID: section.clientID,
                clientSecret: Secret(copying: section.clientSecret),
                allowsPlainHTTP: place.allowsPlainHTTP)
        ])
        configuration.apnsProviderType = section.apnsProvider
        return Keycloak(id: place.id, configuration: configuration, in: place.environment)
    }
    .ended(by: "The credential stays at the realm: its user removes it in the account console.")
}

private struct KeycloakSection: Decodable {
    /// The realm, as its tokens have it in `iss`.
    let issuer: String
    let clientID: String
    /// It is in every copy of an app, so the file may hold it.
    let clientSecret: String
    /// The operator's name for a sender of its own that takes Apple's device tokens.
    let apnsProvider: String?

    enum CodingKeys: String, CodingKey {
        case issuer
        case clientID = "client-id"
        case clientSecret = "client-secret"
        case apnsProvider = "apns-provider"
    }
}

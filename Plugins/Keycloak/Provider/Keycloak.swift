public import PushCore
import PushJOSE

/// Keycloak with the open push MFA extension (`ba-itsys/keycloak-push-mfa-extension`).
///
/// A realm signs what it pushes, and tells the rest on its list. The device signs each request (DPoP,
/// RFC 9449) and each answer with a key of its own, ECDSA with P-256, which no other enrollment has.
///
/// ```swift
/// let realm = try KeycloakConfiguration.Realm(
///     issuer: "https://sso.example.com/realms/demo", clientID: "push-device-client",
///     clientSecret: Secret(copying: secret))
/// let keycloak = Keycloak(configuration: KeycloakConfiguration(realms: [realm]), in: environment)
/// ```
public struct Keycloak: Sendable {
    /// The name of this instance.
    public let id: ProviderID

    /// What the app has chosen.
    public let configuration: KeycloakConfiguration

    let environment: PushEnvironment

    /// Shared by all copies of this value.
    let realmKeys: IssuerKeys

    /// Shared as well.
    let accessTokens = AccessTokens()

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name of this instance; it must not change between releases of an app.
    ///   - configuration: What the app has chosen.
    ///   - environment: The world, as the provider may use it.
    public init(
        id: ProviderID = "keycloak", configuration: KeycloakConfiguration,
        in environment: PushEnvironment
    ) {
        self.id = id
        self.configuration = configuration
        self.environment = environment.scoped(to: id)
        realmKeys = IssuerKeys(in: self.environment)
    }

    /// Drops everything that is kept in memory, as may happen at any moment.
    func dropCaches() async {
        await realmKeys.dropCaches()
        await accessTokens.dropCaches()
    }

    var calls: DeviceCalls {
        DeviceCalls(
            provider: id, configuration: configuration, environment: environment,
            accessTokens: accessTokens)
    }
}

import Foundation
import PushCore
import PushEtcd
import PushForgeRock
import PushJOSE
import PushKeycloak
import PushOneSpan
import PushOneSpanReference
import PushPlusAuth
import PushPostgres
import PushPowerAuth
import PushPrivacyIDEA
import PushSealing
import PushXignIn
import PushXignInReference
import Receiving

try await receive {
    _ = try UnverifiedJWT(parsing: "")
    print(SealedStore.self, EtcdStore.self, PostgresStore.self)
    let engine = OpenReferenceEngine(
        try .init(domain: "example", serverKeys: []), in: $0, provider: "onespan")
    let relay = HTTPCommandRelay(try Endpoint("https://example.com"), for: "onespan", in: $0)
    let powerAuth = try PowerAuthConfiguration(
        sdkConfiguration: "", enrollmentServer: Endpoint("https://auth.example.com"))
    let realm = try KeycloakConfiguration.Realm(
        issuer: "https://sso.example/realms/demo", clientID: "app", clientSecret: Secret([]))
    return [
        ForgeRock(in: $0), PlusAuth(in: $0), PrivacyIDEA(in: $0),
        Keycloak(configuration: .init(realms: [realm]), in: $0),
        PowerAuth(configuration: powerAuth, in: $0),
        XignIn(configuration: .init(wireFormat: OpenReferenceWireFormat()), in: $0),
        OneSpan(
            engine: engine, relay: relay,
            configuration: .init(identifiers: OpenNotificationIdentifiers()), in: $0),
    ]
}

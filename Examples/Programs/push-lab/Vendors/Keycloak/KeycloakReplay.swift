import PushCore
import PushKeycloak
import PushKeycloakSimulator

extension ReplayVendor {
    static func keycloak() -> ReplayVendor {
        let clock = LabClock()
        // An RSA key takes long to make, and says the same.
        let simulator = KeycloakSimulator(.init(algorithm: .es256, clock: clock))
        return ReplayVendor(
            simulator: simulator,
            plugin: { environment in
                let realm = try KeycloakConfiguration.Realm(
                    issuer: await simulator.issuer, clientID: "push-device-client",
                    clientSecret: Secret("device-client-secret".utf8))
                return Keycloak(configuration: .init(realms: [realm]), in: environment)
            },
            start: { user, kind, fault in
                if case .wrongSignature("HS256"?) = fault {
                    return try await simulator.startLogin(of: user, asking: kind, spoiledBy: .hs256)
                }
                return try await simulator.startLogin(
                    of: user, asking: kind,
                    spoiledBy: fault?.made(
                        wrong: .wrongKey, unsigned: .algNone, missing: { .missing(claim: $0) },
                        of: ["iss", "credId", "typ", "ver", "cid", "iat", "exp"],
                        expired: { .expired(ago: $0) }))
            },
            expire: { _ in clock.advance(by: .seconds(3600)) })
    }
}

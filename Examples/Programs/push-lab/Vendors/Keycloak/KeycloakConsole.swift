import Foundation
import HTTPTypes
import PushCore
import PushKeycloakSimulator
import PushTesting

extension ConsoleVendor {
    static func keycloak() -> ConsoleVendor {
        let clock = ConsoleClock()
        // An RSA key takes long to make, and says the same.
        var configuration = KeycloakSimulator.Configuration(algorithm: .es256, clock: clock)
        // As operators may set them: several browsers, and the phone that was enrolled last.
        configuration.maxPendingChallenges = 16
        configuration.askedCredential = .last
        let simulator = KeycloakSimulator(configuration)
        let lifetime = configuration.loginLifetime + .seconds(1)
        return ConsoleVendor(
            name: "keycloak", simulator: simulator, kinds: [.confirm, .number],
            configuration: { origin in
                """
                [providers.keycloak]
                issuer = "\(origin)/realms/demo"
                client-id = "push-device-client"
                client-secret = "device-client-secret"
                apns-provider = "apns"

                """
            },
            devices: { user in
                await simulator.devices(of: user)
                    .map { "\($0.label), \(shortened($0.deviceToken))" }
            },
            reading: keycloakRequest,
            identifiers: { user in
                await simulator.devices(of: user).flatMap { [$0.credentialID, $0.deviceID] }
                    + [await simulator.identifier(of: user)].compactMap(\.self)
            },
            cancel: { try await simulator.cancelLogin($0) },
            expire: { await clock.statuses(of: $0, at: simulator, after: lifetime) })
    }

    /// What devices ask it, in words that all vendors share.
    ///
    /// Whether an answer is a no, its token says.
    private static func keycloakRequest(_ request: HTTPRequest, _ body: Data) -> RequestReading {
        let name: String? =
            switch request.pathParts.last {
            case "certs": "realm's keys"
            case "token": "access token"
            case "complete": "registration"
            case "pending": "list of questions"
            case "respond": isDenial(body) ? "denial" : "answer"
            case "push-provider": "device token"
            case "rotate-key": "device's new key"
            case "lockout": "lockout"
            default: request.pathParts.contains("request-token") ? "invitation" : nil
            }
        return RequestReading(name, of: request, body)
    }

    private static func isDenial(_ body: Data) -> Bool {
        let token = (try? JSON(parsing: body))?["token"]?.string
        return token.flatMap(RequestReading.claims)?["action"] == "deny"
    }
}

import Foundation
import HTTPTypes
import PushAuthFuzzing
import PushCore
import PushKeycloak
import PushTesting

/// Feeds the reader of realms' codes: what it takes leads to the configured realm, what it refuses
/// it explains, and what is somebody else's it leaves alone. As no mutation finds its way through
/// Base64, the same bytes are also fed as the claims of a code's token.
@main
enum FuzzKeycloakCode {
    private static let issuer = "https://sso.example/realms/demo"

    static func main() throws {
        let realm = try KeycloakConfiguration.Realm(
            issuer: issuer, clientID: "push-device-client",
            clientSecret: Secret("device-client-secret".utf8))
        let provider = Keycloak(
            configuration: KeycloakConfiguration(realms: [realm]),
            in: PushEnvironment(
                transport: NoTransport(), store: InMemoryStore(),
                verifier: ScriptedVerifier.willing(), device: Device(name: "Example")))
        fuzz { bytes in
            _ = isTaken(String(decoding: bytes, as: UTF8.self), by: provider)
            let claims = Data(bytes)
            let code = "my-secure://enroll?token=eyJhbGciOiJSUzI1NiJ9.\(url(claims)).c2lnbmF0dXJl"
            guard isTaken(code, by: provider) else { return }
            let told = try? JSON(parsing: claims)
            expect(
                told?["typ"]?.string == "push-enroll-challenge" && told?["iss"]?.string == issuer,
                "a token is an enrollment's, by the configured realm")
        }
    }

    private static func isTaken(_ text: String, by provider: Keycloak) -> Bool {
        do throws(PushError) {
            guard let offer = try provider.enroller.offer(.scanned(text: text)) else {
                return false
            }
            expect(
                offer.host == "sso.example" && offer.issuer == "demo",
                "what is shown for consent is the configured realm")
            expect(offer.account.map(isShowable) ?? true, "what is shown can be shown")
            return true
        } catch {
            expect(error.code == .invalidInvitation, "the error is of the invitation")
            expect(!error.reason.isEmpty, "the reason says what is wrong")
            return false
        }
    }

    private static func isShowable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    private static func url(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}

/// Reading a code asks nobody.
private struct NoTransport: Transport {
    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        fatalError("Broken: reading a code asks nobody")
    }
}

import Foundation
import PushCore

@testable import PushPowerAuth

extension Inner {
    private static let provider = "bank"

    /// Reads bytes as what a server says, once it's decrypted, of an identity provider, of an
    /// activation's name and of a user; and as the URL that a login comes back with.
    public static func powerAuthProfile(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        let text = String(decoding: bytes, as: UTF8.self)
        if let json = try? JSON(parsing: Data(bytes)) {
            if let members = json.object, let broken = checkedUser(members) { return broken }
            let told = json["responseObject"] ?? json
            if let broken = checkedDetail(told) ?? checkedProvider(told, text) { return broken }
        }
        guard let known = try? OIDCConfiguration(example, of: provider) else {
            return "the example is a provider"
        }
        return checkedLogin(known, text)
    }

    private static let example: JSON = [
        "providerId": .string(provider), "clientId": "app", "scopes": "openid",
        "authorizeUri": "https://login.example/authorize", "redirectUri": "app:/login",
        "pkceEnabled": true,
    ]

    private static func checkedUser(_ claims: JSON.Object) -> StaticString? {
        let info = PowerAuthUserInfo(claims: claims)
        let shown = [info.name, info.givenName, info.familyName, info.email, info.phoneNumber]
        for text in shown.compactMap(\.self)
        where DisplayText.sanitized(text, .title) != text {
            return "what is shown is safe to show"
        }
        return nil
    }

    private static func checkedDetail(_ told: JSON) -> StaticString? {
        do throws(PushError) {
            let detail = try PowerAuthActivationDetail(told, of: "activation-0")
            guard told["activationId"]?.string == "activation-0",
                DisplayText.sanitized(detail.name, .title) == detail.name
            else { return "a name is this activation's, and safe to show" }
            return nil
        } catch {
            return error.code == .malformed ? nil : "what is no detail is malformed"
        }
    }

    private static func checkedProvider(_ told: JSON, _ text: String) -> StaticString? {
        do throws(PushError) {
            return checkedLogin(try OIDCConfiguration(told, of: provider), text)
        } catch {
            return error.code == .malformed ? nil : "what is no provider is malformed"
        }
    }

    /// Begins a login, and gives it what came back: bytes, and what a provider would say.
    private static func checkedLogin(
        _ configuration: OIDCConfiguration, _ callback: String
    ) -> StaticString? {
        let login: PowerAuthOIDCLogin
        do throws(PushError) {
            login = try PowerAuthOIDCLogin(
                configuration, random: SystemRandom(), allowsClear: false)
        } catch {
            return error.code == .insecureRequest ? nil : "only a page without TLS isn't opened"
        }
        guard login.url.hasPrefix(configuration.authorizeURI.text),
            (try? Endpoint(login.url)) != nil,
            let state = login.url.components(separatedBy: "&state=").last?.prefix(43)
        else { return "the page is the provider's" }
        let genuine = "\(login.redirectURI)?code=c&state=\(state)"
        guard (try? login.activation(from: genuine)) != nil else { return "the answer is taken" }
        do throws(PushError) {
            _ = try login.activation(from: callback)
            return "nobody guesses a state"
        } catch {
            return [.untrusted, .malformed].contains(error.code)
                ? nil : "what isn't the answer is untrusted or malformed"
        }
    }
}

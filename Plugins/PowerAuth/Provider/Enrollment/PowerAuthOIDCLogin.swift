import Crypto
public import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A login at an identity provider that ends in an activation (OpenID Connect Core 1.0, section 3.1,
/// with PKCE by RFC 7636): ``PowerAuthActivator/startLogin(at:)`` makes one.
///
/// Open ``url`` in the system's own browser session, with the app's own scheme or universal link as the
/// way back, and give what comes back to ``activation(from:)``. Each login is for one activation: after a
/// lost reply the provider's code is spent, so begin a new one.
public struct PowerAuthOIDCLogin: Sendable {
    /// Where the user logs in.
    public let url: String

    /// Where the provider sends the browser back to.
    public let redirectURI: String

    /// The identity provider, as the server's owner names it.
    public let providerID: String

    private let state: Secret
    private let nonce: Secret
    private let verifier: Secret?

    private static let randomCount = 32

    /// What the user has to open, of what the server said.
    ///
    /// - Throws: `PushError` with the code `malformed` if that can't be used, `insecureRequest` if it
    ///   leads to a page without TLS.
    init(
        _ configuration: OIDCConfiguration, random: any RandomSource, allowsClear: Bool
    ) throws(PushError) {
        guard configuration.authorizeURI.isSecure || allowsClear else {
            throw PushError(.insecureRequest, "The provider's page is reached without TLS.")
        }
        providerID = configuration.providerID
        redirectURI = configuration.redirectURI
        let (state, nonce) = (Self.text(random), Self.text(random))
        (self.state, self.nonce) = (Secret(copying: state), Secret(copying: nonce))
        var parameters = [
            ("response_type", "code"), ("client_id", configuration.clientID),
            ("redirect_uri", configuration.redirectURI), ("scope", configuration.scopes),
            ("state", state), ("nonce", nonce),
        ]
        if configuration.usesPKCE {
            let verifier = Self.text(random)
            self.verifier = Secret(copying: verifier)
            parameters += [
                ("code_challenge", Self.challenge(of: verifier)), ("code_challenge_method", "S256"),
            ]
        } else {
            verifier = nil
        }
        let page = configuration.authorizeURI.text
        let query = parameters.map { "\($0)=\(FormText.encoded($1))" }.joined(separator: "&")
        url = page + (page.contains("?") ? "&" : "?") + query
    }

    /// 43 characters of base64url: as many as a verifier has at least.
    private static func text(_ random: any RandomSource) -> String {
        random.bytes(randomCount).withBytes { Base64.encode($0, as: .url) }
    }

    /// What the provider is told of a verifier (RFC 7636 section 4.2).
    static func challenge(of verifier: String) -> String {
        Base64.encode(Array(SHA256.hash(data: Array(verifier.utf8))), as: .url)
    }
}

extension PowerAuthOIDCLogin {
    /// What the login came to: an activation that can be made once.
    ///
    /// - Parameter callback: The whole URL that the browser session came back with.
    /// - Returns: The activation.
    /// - Throws: `PushError` with the code `untrusted` if it isn't the answer to this login, such as one
    ///   of another state; `malformed` if it brings no code, or the provider names an error; `cancelled`
    ///   if the user said no there.
    public func activation(from callback: String) throws(PushError) -> PowerAuthActivation {
        let (place, query) = callback.start(before: "#").cut(at: "?")
        guard place.utf8.elementsEqual(redirectURI.utf8) else {
            throw PushError(.untrusted, "It isn't the URL that the login comes back to.")
        }
        let parameters = try Self.parameters(query ?? "")
        // Before anything else is believed: whoever can open a link can make one.
        guard let returned = parameters["state"],
            Secret(copying: returned).isEqualInConstantTime(to: state)
        else {
            throw PushError(.untrusted, "It is the answer to another login.")
        }
        if let error = parameters["error"] {
            guard error != "access_denied" else {
                throw PushError(.cancelled, "The user said no at the provider.")
            }
            throw PushError(.malformed, "The provider reports an error.")
        }
        guard let code = parameters["code"], !code.isEmpty else {
            throw PushError(.malformed, "The provider brought no code.")
        }
        var attributes = [
            "method": Secret(copying: "oidc"), "providerId": Secret(copying: providerID),
            "code": Secret(copying: code), "nonce": nonce,
        ]
        attributes["codeVerifier"] = verifier
        return PowerAuthActivation(login: attributes)
    }

    /// The parameters of a query, each once: of two, one might be an attacker's.
    private static func parameters(_ query: Substring) throws(PushError) -> [String: String] {
        var parameters: [String: String] = [:]
        for piece in query.parts(at: "&") where !piece.isEmpty {
            let (encoded, rest) = piece.cut(at: "=")
            // Whoever can open a link can give a name that takes long to hash.
            guard let name = FormText.decoded(encoded), name.utf8.allSatisfy({ $0 < 0x80 }),
                let value = FormText.decoded(rest ?? ""),
                parameters.updateValue(value, forKey: name) == nil
            else { throw PushError(.malformed, "The answer's parameters can't be read.") }
        }
        return parameters
    }
}

/// What the enrollment server says of an identity provider.
struct OIDCConfiguration: Sendable {
    let providerID: String
    let clientID: String
    let scopes: String
    let authorizeURI: Endpoint
    let redirectURI: String
    let usesPKCE: Bool

    /// Reads what the server says, once it's decrypted.
    ///
    /// - Throws: `PushError` with the code `malformed` if it isn't of the provider that was asked for,
    ///   or can't be used.
    init(_ json: JSON, of provider: String) throws(PushError) {
        guard let name = json["providerId"]?.string, name.utf8.elementsEqual(provider.utf8),
            let client = json["clientId"]?.string, !client.isEmpty,
            let scopes = json["scopes"]?.string,
            let page = json["authorizeUri"]?.string.flatMap({ try? Endpoint($0) }),
            let redirect = json["redirectUri"]?.string, Self.isURI(redirect)
        else { throw PushError(.malformed, "The server tells no provider that can be used.") }
        providerID = name
        clientID = client
        self.scopes = scopes
        authorizeURI = page
        redirectURI = redirect
        usesPKCE = json["pkceEnabled"]?.bool ?? false
    }

    /// A scheme and something after it, without query and fragment: what comes back is compared with it.
    private static func isURI(_ text: String) -> Bool {
        let (scheme, rest) = text.cut(at: ":")
        return !scheme.isEmpty && rest?.isEmpty == false
            && text.utf8.allSatisfy {
                0x21...0x7E ~= $0 && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            }
    }
}

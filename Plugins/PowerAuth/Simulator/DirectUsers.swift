import Crypto
public import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PowerAuthSimulator {
    /// Somebody whom the enrollment server knows by other means than an activation code.
    public struct DirectUser: Hashable, Sendable {
        /// How the attributes are judged; `nil` for the type `CUSTOM`, which has no method.
        public var method: String?

        /// What a request has to name, all of it and nothing else.
        public var attributes: [String: String]

        /// Whose the activation is.
        public var user: String

        /// When the activation becomes active.
        public var commitPhase: CommitPhase

        /// Creates somebody.
        public init(
            _ user: String, method: String?, attributes: [String: String],
            commitPhase: CommitPhase = .onCommit
        ) {
            self.user = user
            self.method = method
            self.attributes = attributes
            self.commitPhase = commitPhase
        }
    }

    /// An identity provider that the server redeems codes at (OpenID Connect Core 1.0, section 3.1).
    public struct IdentityProvider: Hashable, Sendable {
        /// The name by which apps ask for it.
        public var id: String
        /// The client that the app is to it.
        public var clientID = "mobile-bank"
        /// What the app asks for.
        public var scopes = "openid profile"
        /// Where the user logs in.
        public var authorizeURI = "https://login.powerauth.example/authorize"
        /// Where the browser is sent back to.
        public var redirectURI = "bank.example:/login"
        /// Whether it wants a proof key (RFC 7636).
        public var usesPKCE = true

        /// Creates a provider.
        public init(_ id: String) { self.id = id }
    }
}

/// A code that an identity provider gave out, until it is redeemed.
struct AuthorizationGrant: Sendable {
    let provider: String
    let user: String
    let nonce: String
    let challenge: String?
}

// MARK: Who is activated

extension PowerAuthSimulator {
    /// Makes an activation for whoever a request without a code is about.
    func activation(
        for layer: ActivationLayer, in scope: ECIESScope
    ) throws(Refusal) -> String {
        let (user, phase) = try user(of: layer)
        var options = ActivationOptions()
        options.applicationKey = scope.application.key
        options.commitPhase = phase
        guard let made = try? createActivation(for: user, options) else { throw .activation }
        return made.id
    }

    private func user(of layer: ActivationLayer) throws(Refusal) -> (String, CommitPhase) {
        var attributes: [String: String] = [:]
        for (name, value) in layer.identity.members {
            guard let text = value.string else { throw .activation }
            attributes[name] = text
        }
        guard !attributes.isEmpty else { throw .activation }
        var method: String?
        if layer.type == "DIRECT" {
            guard let named = attributes.removeValue(forKey: "method") else { throw .activation }
            if named == "oidc" { return (try redeem(attributes), .onKeyExchange) }
            method = named
        }
        let user = configuration.directUsers.first {
            $0.method == method && $0.attributes == attributes
        }
        guard let user else { throw .activation }
        return (user.user, user.commitPhase)
    }

    /// Redeems a code, which is spent by that, right or wrong.
    private func redeem(_ attributes: [String: String]) throws(Refusal) -> String {
        guard let code = attributes["code"], let grant = grants.removeValue(forKey: code),
            attributes["providerId"] == grant.provider, attributes["nonce"] == grant.nonce
        else { throw .activation }
        guard let challenge = grant.challenge else { return grant.user }
        guard let verifier = attributes["codeVerifier"], (43...128).contains(verifier.utf8.count),
            Self.challenge(of: verifier) == challenge
        else { throw .activation }
        return grant.user
    }

    private static func challenge(of verifier: String) -> String {
        Base64.encode(Data(SHA256.hash(data: Data(verifier.utf8))), as: .url)
    }

    // MARK: The identity provider

    /// Logs a user in at the page of an identity provider, as a browser would.
    ///
    /// - Parameters:
    ///   - user: Who logs in; `nil` if the user says no there.
    ///   - url: The page with its parameters.
    /// - Returns: The URL that the browser is sent back to.
    /// - Throws: `PushError` with the code `invalidArgument` for what a provider refuses: another page
    ///   or client, or a parameter that is missing, repeated or wrong.
    public func logIn(_ user: String?, at url: String) throws(PushError) -> String {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let fields = FormQuery.fields(parts[1]),
            let provider = configuration.identityProviders.first(where: {
                $0.authorizeURI == parts[0] && $0.clientID == fields["client_id"]
            }),
            fields["response_type"] == "code", fields["redirect_uri"] == provider.redirectURI,
            fields["scope"] == provider.scopes,
            let state = fields["state"], state.utf8.count >= 22,
            let nonce = fields["nonce"], nonce.utf8.count >= 22, nonce != state
        else { throw PushError(.invalidArgument, "The provider refuses the request.") }
        let back = "\(provider.redirectURI)?state=\(state)"
        guard let user else { return back + "&error=access_denied" }
        var challenge: String?
        if provider.usesPKCE {
            guard fields["code_challenge_method"] == "S256",
                let given = fields["code_challenge"], given.utf8.count == 43
            else { throw PushError(.invalidArgument, "The provider wants a proof key.") }
            challenge = given
        }
        let code = Base64.encode(configuration.random.data(24), as: .url)
        grants[code] = AuthorizationGrant(
            provider: provider.id, user: user, nonce: nonce, challenge: challenge)
        return back + "&code=\(code)"
    }

    /// Answers `/api/config/oidc`.
    func tellProvider(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        let scope = try applicationScope(incoming)
        guard let opened = open(incoming.json, sharedInfo: "/pa/generic/application", in: scope)
        else { throw .encryption }
        let asked = (try? JSON(parsing: opened.plain))?.object
        guard let asked, asked.hasOnly(["providerId"]), let id = asked["providerId"]?.string,
            let provider = configuration.identityProviders.first(where: { $0.id == id })
        else { throw .configuration }
        var told: JSON.Object = [
            "providerId": .string(provider.id), "clientId": .string(provider.clientID),
            "scopes": .string(provider.scopes), "authorizeUri": .string(provider.authorizeURI),
            "redirectUri": .string(provider.redirectURI), "pkceEnabled": .bool(provider.usesPKCE),
        ]
        if case .replaced(let member, let value) = incoming.fault { told[member] = value }
        let answer: JSON = ["status": "OK", "responseObject": .object(told)]
        return .envelope(try seal(answer, to: opened, spoiledBy: incoming.fault?.unlessReplaced))
    }
}

extension PowerAuthSimulator.BadAnswer {
    /// The fault, unless it is one that the answer's maker has made already.
    var unlessReplaced: PowerAuthSimulator.BadAnswer? {
        if case .replaced = self { nil } else { self }
    }
}

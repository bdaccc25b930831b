import HTTPTypes
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension KeycloakSimulator {
    /// The token endpoint: client credentials (RFC 6749, section 4.4) and a proof (RFC 9449).
    ///
    /// In which order Keycloak looks at them, its texts but `invalid_request`, and that it takes
    /// the client by HTTP Basic as well are UNCONFIRMED.
    func issueAccessToken(_ call: Call) throws(Refusal) -> ServerReply {
        let form = try call.form()
        guard form["grant_type"] == "client_credentials" else {
            throw Refusal(400, "unsupported_grant_type", "Unsupported grant_type")
        }
        try checkClient(call, form)
        let jwk = try checkProof(call)
        let (now, id) = (configuration.seconds, configuration.identifier())
        let lifetime = Int64(configuration.accessTokenLifetime.inSeconds)
        let claims: JSON.Object = [
            "exp": .integer(now + lifetime), "iat": .integer(now), "jti": .string(id),
            "iss": .string(issuer), "aud": "account", "sub": .string(configuration.identifier()),
            "typ": "DPoP", "azp": .string(configuration.clientID),
            "cnf": ["jkt": .string(jwk.thumbprint)],
        ]
        guard let token = try? signed(claims) else { throw .broken }
        accessTokens[id] = configuration.now + configuration.accessTokenLifetime.inSeconds
        return ServerReply(json: [
            "access_token": .string(token), "expires_in": .integer(lifetime),
            "refresh_expires_in": 0, "token_type": "DPoP", "not-before-policy": 0,
            "scope": "profile email",
        ]).with(.cacheControl, "no-store")
    }

    private func checkClient(_ call: Call, _ form: [String: String]) throws(Refusal) {
        var client = (form["client_id"], form["client_secret"])
        if let field = call.request.headerFields[.authorization], field.hasPrefix("Basic "),
            let pair = try? Base64.data(from: field.dropFirst(6)),
            let text = String(validUTF8: pair)
        {
            let halves = text.split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else { throw Self.unknownClient }
            client = (Call.decoded(halves[0]), Call.decoded(halves[1]))
        }
        guard client.0 == configuration.clientID, let secret = client.1,
            Secret(copying: secret).isEqualInConstantTime(to: configuration.clientSecret)
        else { throw Self.unknownClient }
    }

    private static let unknownClient = Refusal(
        401, "unauthorized_client", "Invalid client or Invalid client credentials")

    /// The token endpoint's own check of a proof, whose time is narrower than the extension's.
    ///
    /// - Returns: The key in its header, which signed it.
    private func checkProof(_ call: Call) throws(Refusal) -> DeviceKey {
        guard let field = call.request.headerFields[.dpop] else {
            throw .badProof("DPoP proof is missing")
        }
        guard let proof = SignedToken(field), let algorithm = proof.algorithm,
            proof.header["typ"]?.string == "dpop+jwt",
            let key = try? DeviceKey(proof.header["jwk"]),
            (try? key.check(algorithm)) != nil
        else { throw .badProof("Invalid DPoP header") }
        guard proof.isSigned(by: key.key) else { throw .badProof("DPoP verification failure") }
        guard proof.claims["htm"]?.string == "POST",
            proof.claims["htu"]?.string == origin + call.path
        else { throw .badProof("DPoP HTTP method or URL mismatch") }
        let now = configuration.now.timeIntervalSince1970
        guard let issued = proof.claims["iat"]?.double, (now - 25...now + 15).contains(issued)
        else {
            throw .badProof("DPoP proof is not active")
        }
        guard let name = proof.claims["jti"]?.string, !name.isEmpty else {
            throw .badProof("DPoP proof has no jti")
        }
        guard use("token \(name)", for: .seconds(60)) else {
            throw .badProof("DPoP proof has already been used")
        }
        return key
    }

    /// Takes a name once within a time; `false` if it was taken before.
    func use(_ name: String, for time: Duration) -> Bool {
        let now = configuration.now
        usedProofs = usedProofs.filter { $0.value > now }
        guard usedProofs[name] == nil else { return false }
        usedProofs[name] = now + time.inSeconds
        return true
    }

    /// Ends all access tokens, as an administrator can by the realm's `not-before`.
    public func revokeAccessTokens() {
        accessTokens = [:]
    }
}

extension HTTPField.Name {
    /// The header of proofs (RFC 9449, section 4.1).
    static let dpop = HTTPField.Name("DPoP") ?? .authorization
}

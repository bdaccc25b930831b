import Crypto
import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A proof and its access token (RFC 9449, section 7), as far as no key is needed to judge them.
struct DeviceProof {
    let proof: SignedToken
    let accessToken: SignedToken
    let user: String
    let device: String
    fileprivate let name: String
}

extension KeycloakSimulator {
    /// Whose device it is that calls.
    struct Caller {
        let user: User
        let device: Device
    }

    /// Checks access token and proof of a call by an enrolled device, in the extension's order.
    func caller(of call: Call) throws(Refusal) -> Caller {
        let proof = try proof(of: call)
        guard let user = users[proof.user] else { throw .userNotFound }
        guard let device = user.devices.first(where: { $0.deviceID == proof.device }) else {
            throw Refusal(403, "Device not registered for user")
        }
        try check(proof, by: device.key)
        return Caller(user: user, device: device)
    }

    /// Reads access token and proof: all checks before the key's owner is looked for.
    func proof(of call: Call) throws(Refusal) -> DeviceProof {
        let accessToken = try accessToken(of: call)
        guard let field = call.request.headerFields[.dpop] else {
            throw Refusal(401, "DPoP proof required")
        }
        guard let proof = SignedToken(field) else { throw Refusal(400, "Invalid DPoP proof") }
        guard proof.algorithm != nil else {
            throw .badAlgorithm(proof.header["alg"]?.string, of: "DPoP proof")
        }
        guard proof.header["typ"]?.string == "dpop+jwt" else {
            throw Refusal(400, "DPoP proof missing typ=dpop+jwt")
        }
        guard proof.claims["htm"]?.string == call.request.method.rawValue else {
            throw Refusal(403, "DPoP proof htm mismatch")
        }
        guard Self.isSame(proof.claims["htu"]?.string, as: origin + call.path) else {
            throw Refusal(403, "DPoP proof htu mismatch")
        }
        guard let issued = proof.claims["iat"]?.double,
            abs(configuration.now.timeIntervalSince1970 - issued)
                <= configuration.proofTolerance.inSeconds
        else { throw Refusal(400, "DPoP proof expired") }
        let name = try proof.text("jti", longest: 128)
        let user = try proof.text("sub", longest: 128)
        let device = try proof.text("deviceId", longest: 128)
        return DeviceProof(
            proof: proof, accessToken: accessToken, user: user, device: device, name: name)
    }

    /// Whether a proof's address is a request's, as texts. Query and fragment don't count.
    private static func isSame(_ address: String?, as expected: String) -> Bool {
        address?.split(omittingEmptySubsequences: false) { $0 == "?" || $0 == "#" }.first
            .map { $0 == expected } ?? false
    }

    /// An access token that the realm issued, by either scheme.
    func accessToken(of call: Call) throws(Refusal) -> SignedToken {
        let parts = (call.request.headerFields[.authorization] ?? "").split(separator: " ")
        guard parts.count == 2, ["dpop", "bearer"].contains(parts[0].lowercased()) else {
            throw Refusal(401, "DPoP access token required")
        }
        guard let token = SignedToken(String(parts[1])), isRealms(token),
            token.claims["typ"]?.string == "DPoP", token.claims["iss"]?.string == issuer,
            let expiry = token.claims["jti"]?.string.flatMap({ accessTokens[$0] }),
            expiry > configuration.now
        else { throw Refusal(401, "Invalid access token") }
        return token
    }

    /// Checks a proof by its owner's key: signature, binding, token hash and replay.
    func check(_ proof: DeviceProof, by key: DeviceKey) throws(Refusal) {
        try proof.proof.check(by: key, orElse: "Invalid DPoP proof signature")
        // All tokens of this realm are bound: it issues none without a proof.
        guard proof.accessToken.claims["cnf"]?["jkt"]?.string == key.thumbprint else {
            throw Refusal(403, "Access token DPoP binding mismatch")
        }
        let hash = try proof.proof.claims.optionalText("ath", longest: 128)
        guard hash != nil || !configuration.requiresTokenHash else { throw .missing("ath") }
        let expected = SHA256.hash(data: Data(proof.accessToken.text.utf8)).base64URL
        guard hash == nil || hash == expected else {
            throw Refusal(403, "DPoP proof ath mismatch")
        }
        guard use("device \(key.thumbprint) \(proof.name)", for: .seconds(300)) else {
            throw Refusal(403, "DPoP proof replay detected")
        }
    }
}

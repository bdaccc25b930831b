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
        try check(proof, by: device.key, device.algorithm)
        return Caller(user: user, device: device)
    }

    /// Reads access token and proof: all checks before the key's owner is looked for.
    ///
    /// Which text an algorithm that isn't taken gets is UNCONFIRMED.
    func proof(of call: Call) throws(Refusal) -> DeviceProof {
        let accessToken = try accessToken(of: call)
        guard let field = call.request.headerFields[.dpop] else {
            throw Refusal(401, "DPoP proof required")
        }
        guard let proof = SignedToken(field) else { throw Refusal(400, "Invalid DPoP proof") }
        guard proof.algorithm != nil else { throw .unsupportedAlgorithm }
        guard proof.header["typ"]?.string == "dpop+jwt" else {
            throw Refusal(400, "DPoP proof missing typ=dpop+jwt")
        }
        guard proof.claims["htm"]?.string == call.request.method.rawValue else {
            throw Refusal(403, "DPoP proof htm mismatch")
        }
        guard proof.claims["htu"]?.string == origin + call.path else {
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

    /// An access token that the realm issued, by either scheme.
    private func accessToken(of call: Call) throws(Refusal) -> SignedToken {
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
    func check(
        _ proof: DeviceProof, by key: DeviceKey, _ algorithm: Algorithm
    ) throws(Refusal) {
        guard proof.proof.algorithm == algorithm, proof.proof.isSigned(by: key.key) else {
            throw Refusal(403, "Invalid DPoP proof signature")
        }
        guard let bound = proof.accessToken.claims["cnf"]?["jkt"]?.string else {
            throw Refusal(403, "Access token missing DPoP binding")
        }
        guard bound == key.thumbprint else {
            throw Refusal(403, "Access token DPoP binding mismatch")
        }
        let hash = proof.proof.claims["ath"]?.string
        guard hash != nil || configuration.requiresTokenHash else {
            return try take(proof, key)
        }
        guard hash == SHA256.hash(data: Data(proof.accessToken.text.utf8)).base64URL else {
            throw Refusal(403, "DPoP proof ath mismatch")
        }
        try take(proof, key)
    }

    private func take(_ proof: DeviceProof, _ key: DeviceKey) throws(Refusal) {
        guard use("device \(key.thumbprint) \(proof.name)", for: .seconds(300)) else {
            throw Refusal(403, "DPoP proof replay detected")
        }
    }
}

import Foundation
import IndependentEncodings
import PushCore
import Testing

/// A device as far as these tests need one.
struct Phone {
    var key: TestKey
    var algorithm: String
    var user: String
    var credentialID = UUID().uuidString.lowercased()
    var deviceID = UUID().uuidString.lowercased()

    init(_ algorithm: String = "ES256", user: String) throws {
        key = try TestKey(algorithm)
        self.algorithm = algorithm
        self.user = user
    }

    var jwk: JSON.Object {
        get throws {
            var jwk = try key.jwk
            jwk["alg"] = .string(algorithm)
            jwk["use"] = "sig"
            jwk["kid"] = "key-1"
            return jwk
        }
    }

    /// A proof's parts, as a call needs them.
    func proof(
        _ method: String, _ address: String, at date: Date, for accessToken: String? = nil
    ) throws -> (header: JSON.Object, claims: JSON.Object) {
        var claims: JSON.Object = [
            "htm": .string(method), "htu": .string(address),
            "iat": .integer(Int64(date.timeIntervalSince1970)), "jti": .string(UUID().uuidString),
            "sub": .string(user), "deviceId": .string(deviceID),
        ]
        if let accessToken { claims["ath"] = .string(base64url(sha256(accessToken))) }
        return (
            ["typ": "dpop+jwt", "alg": .string(algorithm), "jwk": .object(try jwk)], claims
        )
    }

    /// What signs an enrollment or an answer.
    var header: JSON.Object { ["alg": .string(algorithm), "typ": "JWT", "kid": "key-1"] }

    /// The claims that answer an enrollment token.
    func enrollment(_ token: ReadToken) throws -> JSON.Object {
        [
            "enrollmentId": token.claims["enrollmentId"] ?? .null,
            "nonce": token.claims["nonce"] ?? .null, "sub": token.claims["sub"] ?? .null,
            "deviceType": "ios", "pushProviderType": "fcm", "pushProviderId": "fcm-token-1",
            "credentialId": .string(credentialID), "deviceId": .string(deviceID),
            "deviceLabel": "Jane's phone", "cnf": ["jwk": .object(try jwk)],
            "exp": token.claims["exp"] ?? .null,
        ]
    }

    /// The claims of an answer.
    func answer(_ id: String, _ action: String, until expiry: Int64) -> JSON.Object {
        [
            "cid": .string(id), "credId": .string(credentialID), "deviceId": .string(deviceID),
            "action": .string(action), "exp": .integer(expiry),
        ]
    }
}

extension JSON.Object {
    /// The members with others in their place; `nil` takes one away.
    func changing(_ changes: [String: JSON?]) -> JSON.Object {
        var members = self
        for (name, value) in changes { members[name] = value }
        return members
    }
}

import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

/// A device written for these tests alone: it shares no code with the plugin or the simulator.
struct Phone {
    var mechanismUID = Example.mechanismUID
    var deviceID = "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F"
    var communicationType: JSON? = "apns"
    let parameters: [String: String]

    init(scanning uri: String) throws {
        let query = try #require(uri.split(separator: "?", maxSplits: 1).last)
        var parameters: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            parameters[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        self.parameters = parameters
    }

    func text(_ name: String) throws -> String {
        String(
            decoding: try data(base64url: try #require(parameters[name])),
            as: UTF8.self)
    }

    var key: Data {
        get throws { try data(base64url: try #require(parameters["s"])) }
    }

    func response(to challenge: Data) throws -> String {
        Data(HMAC<SHA256>.authenticationCode(for: challenge, using: SymmetricKey(data: try key)))
            .base64EncodedString()
    }

    func jwt(
        _ claims: JSON.Object, header: JSON = ["typ": "JWT", "alg": "HS256"], key: Data? = nil
    ) throws -> String {
        let key = SymmetricKey(data: try key ?? self.key)
        return CompactJWS.text(header, .object(claims)) {
            HMAC<SHA256>.authenticationCode(for: $0, using: key)
        }
    }

    func registrationClaims() throws -> JSON.Object {
        var claims: JSON.Object = [
            "response": .string(
                try response(
                    to: try data(base64url: try #require(parameters["c"])))),
            "mechanismUid": .string(mechanismUID), "deviceId": .string(deviceID),
            "deviceName": "Jane's iPhone", "deviceType": "ios",
        ]
        claims["communicationType"] = communicationType
        return claims
    }

    func registrationBody(_ claims: JSON.Object? = nil) throws -> JSON {
        let jwt = try jwt(try claims ?? registrationClaims())
        return ["messageId": .string(try #require(parameters["m"])), "jwt": .string(jwt)]
    }

    func refreshBody(deviceID: String, username: String) throws -> JSON {
        let jwt = try jwt([
            "mechanismUid": .string(mechanismUID), "deviceId": .string(deviceID),
            "deviceName": "Jane's iPhone", "deviceType": "ios", "communicationType": "apns",
        ])
        return [
            "mechanismUid": .string(mechanismUID), "jwt": .string(jwt),
            "username": .string(username),
        ]
    }

    /// An answer to a push; further claims make it a denial or name a number.
    func answerBody(_ push: SimulatedPush, _ more: JSON.Object = [:]) throws -> JSON {
        let received = try Received(push)
        let challenge = try #require(received.claims["c"]?.string)
        var claims: JSON.Object = [
            "response": .string(
                try response(to: try #require(Data(base64Encoded: challenge))))
        ]
        for (name, value) in more.members { claims[name] = value }
        return ["messageId": .string(received.messageID), "jwt": .string(try jwt(claims))]
    }
}

/// A push as a device reads it.
struct Received {
    let payload: JSON
    let messageID: String
    let jwt: String
    let token: CompactJWS
    var header: JSON { token.header }
    var claims: JSON { token.claims }

    init(_ push: SimulatedPush) throws {
        payload = try push.message().content
        messageID = try #require((payload["aps"]?["messageId"] ?? payload["messageId"])?.string)
        jwt = try #require((payload["aps"]?["data"] ?? payload["message"])?.string)
        token = try CompactJWS(jwt)
    }

    func isSigned(by key: Data) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            token.signature, authenticating: token.signed, using: SymmetricKey(data: key))
    }
}

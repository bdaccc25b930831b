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
        let signed = base64url(header.data) + "." + base64url(JSON.object(claims).data)
        let key = SymmetricKey(data: try key ?? self.key)
        let code = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: key)
        return signed + "." + base64url(Data(code))
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
    let header: JSON
    let claims: JSON

    init(_ push: SimulatedPush) throws {
        payload = try push.message().content
        messageID = try #require((payload["aps"]?["messageId"] ?? payload["messageId"])?.string)
        jwt = try #require((payload["aps"]?["data"] ?? payload["message"])?.string)
        let parts = jwt.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        header = try JSON(parsing: try data(base64url: parts[0]))
        claims = try JSON(parsing: try data(base64url: parts[1]))
    }

    func isSigned(by key: Data) throws -> Bool {
        let dot = try #require(jwt.lastIndex(of: "."))
        return HMAC<SHA256>.isValidAuthenticationCode(
            try data(base64url: String(jwt[dot...].dropFirst())),
            authenticating: Data(jwt[..<dot].utf8), using: SymmetricKey(data: key))
    }
}

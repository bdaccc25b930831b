import Foundation
import IndependentEncodings
import PushCore

/// A push as AM would mint it: claims, a key, and the message id beside them.
struct AMPush: Sendable {
    /// The generations of `docs/vendors/forgerock.md#four-generations`, and the old module.
    enum Generation: String, Sendable, CaseIterable {
        /// AM 6.0 to 7.1.
        case a
        /// The old authentication module, up to 8.0.2.
        case module
        /// AM 7.2 to 8.0.0.
        case b
        /// AM 8.0.1 to 8.0.2.
        case c
        /// AM 8.1 and later.
        case d
    }

    var claims: JSON.Object
    var header = #"{"typ":"JWT","alg":"HS256"}"#
    var key = WorkedExample.secret
    var messageID = WorkedExample.messageID

    /// A push of the worked examples' mechanism and challenge.
    init(_ generation: Generation = .d, kind: String? = nil, numbers: String? = nil) {
        claims = [
            "c": .string(base64(WorkedExample.challenge)), "t": "120",
            "u": .string(WorkedExample.mechanism),
            "l": .string(base64("amlbcookie=03")),
        ]
        if generation == .module { claims["i"] = "1760000300000" }
        guard ![.a, .module].contains(generation) else { return }
        claims["m"] = "Login attempt from jane at Example Bank"
        claims["k"] = .string(kind ?? "default")
        claims["i"] = "1760000300000"
        claims["p"] = "{  }"
        claims["n"] = numbers.map { .string($0) }
        if generation != .b { claims["d"] = "jane" }
    }

    static func challenge(_ numbers: String? = "17,42,86") -> AMPush {
        AMPush(.d, kind: "challenge", numbers: numbers)
    }

    static var biometric: AMPush { AMPush(.d, kind: "biometric") }

    /// The same push with claims changed; `nil` takes one away.
    func with(_ name: String, _ value: JSON?) -> AMPush {
        var copy = self
        copy.claims[name] = value
        return copy
    }

    func with(messageID: String) -> AMPush {
        var copy = self
        copy.messageID = messageID
        return copy
    }

    /// The same push about another challenge.
    func about(_ challenge: [UInt8]) -> AMPush { with("c", .string(base64(challenge))) }

    func signed(by key: [UInt8]) -> AMPush {
        var copy = self
        copy.key = key
        return copy
    }

    func with(header: String) -> AMPush {
        var copy = self
        copy.header = header
        return copy
    }

    var token: String {
        let signed = "\(base64url(header)).\(base64url(JSON.object(claims).text))"
        return "\(signed).\(base64url(hmac(key, signed.utf8)))"
    }

    func message() throws -> PushMessage { try Self.message(token, id: messageID) }

    /// A token as APNs delivers it.
    static func message(
        _ token: String, id: String = WorkedExample.messageID
    ) throws -> PushMessage {
        let aps: JSON = [
            "alert": "Login", "sound": "default", "content-available": 1,
            "messageId": .string(id), "data": .string(token),
        ]
        return try PushMessage(json: JSON.object(["aps": aps]).data)
    }
}

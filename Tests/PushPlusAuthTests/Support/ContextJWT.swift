import Foundation
import IndependentEncodings
import PushCore
import PushTesting

/// A challenge as the server would mint it, for tests to bend.
struct ContextJWT: Sendable {
    var header: JSON.Object
    var claims: JSON.Object
    private let key: AccountKey

    /// A `prompt` with the least that is required.
    init(_ key: AccountKey, token: String = "ctx-0001") {
        self.key = key
        header = ["alg": .string(key.algorithm), "typ": "JWT", "kid": .string(key.id)]
        claims = [
            "exp": .integer(WorkedExample.expiry),
            "iat": .integer(WorkedExample.issued),
            "context_token": .string(token), "resolve_url": .string(WorkedExample.resolve),
            "type": "prompt",
        ]
    }

    /// A `code` with everything that is documented: the payload of `rs256_code`.
    static func full(_ key: AccountKey, token: String = "ctx-0001") throws -> ContextJWT {
        var context = ContextJWT(key)
        context.claims = try Vectors().parsed("payload_rs256_code")
        return context.with("context_token", .string(token))
    }

    static func code(
        _ key: AccountKey, _ values: [String] = ["83", "07", "12"], token: String = "ctx-0001"
    ) -> ContextJWT {
        ContextJWT(key, token: token).with("type", "code")
            .with("values", .array(values.map { .string($0) }))
    }

    /// The same context with a claim changed; `nil` takes it away.
    func with(_ name: String, _ value: JSON?) -> ContextJWT {
        var copy = self
        copy.claims[name] = value
        return copy
    }

    /// The same context with a header parameter changed; `nil` takes it away.
    func with(header name: String, _ value: JSON?) -> ContextJWT {
        var copy = self
        copy.header[name] = value
        return copy
    }

    func bindingSIM(_ isBound: JSON?) -> ContextJWT {
        with("settings", isBound.map { ["bind_sim": $0] })
    }

    var signingInput: String { signingInput(JSON.object(claims).text) }

    private func signingInput(_ payload: String) -> String {
        "\(base64url(JSON.object(header).text)).\(base64url(payload))"
    }

    func token() throws -> String {
        "\(signingInput).\(base64url(try key.signature(over: signingInput)))"
    }

    /// Signs a payload that needn't be the claims, nor JSON.
    func token(payload: String) throws -> String {
        let input = signingInput(payload)
        return "\(input).\(base64url(try key.signature(over: input)))"
    }

    func message() throws -> PushMessage { Self.message(try token()) }

    func message(payload: String) throws -> PushMessage {
        Self.message(try token(payload: payload))
    }

    /// A token as Firebase delivers it.
    static func message(_ token: String) -> PushMessage { PushMessage(fcm: ["context": token]) }

    /// A token as APNs delivers it: beside Apple's own member, or one level down.
    static func apns(_ token: String, nested: Bool = false) throws -> PushMessage {
        let context: JSON = ["context": .string(token)]
        var payload: JSON.Object = ["aps": ["content-available": 1]]
        if nested { payload["data"] = context } else { payload["context"] = .string(token) }
        return try PushMessage(json: JSON.object(payload).data)
    }
}

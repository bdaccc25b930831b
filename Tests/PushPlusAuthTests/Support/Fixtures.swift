import Foundation
import IndependentEncodings
import PushCore
import PushPlusAuth
import PushTesting

/// Messages of every kind that a provider meets, for one account's key. No two genuine ones are
/// about the same challenge.
struct Fixtures {
    let key: AccountKey

    /// What the documentation lets a tenant send, in every form of delivery.
    func genuine() throws -> [PushMessage] {
        let contexts = try [
            ContextJWT.full(key, token: "g-0"), ContextJWT(key, token: "g-1"),
            .code(key, token: "g-2"),
            ContextJWT(key, token: "g-3").with(header: "kid", nil).with(header: "typ", nil),
            ContextJWT(key, token: "g-4").with("resolve_url", nil),
        ]
        return try contexts.map { try $0.message() } + [
            ContextJWT.apns(ContextJWT.code(key, token: "g-5").token()),
            ContextJWT.apns(ContextJWT(key, token: "g-6").token(), nested: true),
        ]
    }

    /// PlusAuth's form, but not PlusAuth's doing.
    func forged() throws -> [PushMessage] {
        let vectors = try Vectors()
        let examples = try ["alg_none", "hs256_with_rsa_public_pem", "rs256_code", "unknown_key"]
            .map { ContextJWT.message(try vectors($0)) }
        // Another context's signature under each claim's change.
        let genuine = try ContextJWT.full(key, token: "f-0")
        let signature = try genuine.token().split(separator: ".")[2]
        let values: [JSON?] = [nil, "x", 7]
        let changed = genuine.claims.members.flatMap { member in
            values.map { value in
                let input = genuine.with(member.name, value).signingInput
                return ContextJWT.message("\(input).\(signature)")
            }
        }
        let stranger = ContextJWT(AccountKey.stranger(), token: "f-1")
        return try examples + changed + [
            stranger.message(), stranger.with(header: "kid", .string(key.id)).message(),
            genuine.with("resolve_url", "https://evil.example/resolve").message(),
            genuine.with(header: "jwk", [:]).message(),
        ]
    }

    /// The app's own, and other vendors'.
    static func foreign() throws -> [PushMessage] {
        let token = base64url(#"{"alg":"ES256"}"#) + ".e30.AAAA"
        return try [
            "{}", #"{"aps":{"alert":"Hello","badge":3}}"#, #"{"context":"checkout"}"#,
            #"{"context":{"page":7}}"#, #"{"aps":{"data":"\#(token)","messageId":"x"}}"#,
            #"{"context":"a.b.c"}"#,
        ].map { try PushMessage(json: Data($0.utf8)) } + [
            PushMessage(fcm: ["message": token, "messageId": "x"]),
            PushMessage(text: token, by: .scanned),
        ]
    }

    /// The account's own signature under what can't be read.
    func malformed() throws -> [PushMessage] {
        let context = ContextJWT(key, token: "m-0")
        let payloads = [" ", "x", "[]", "{", "{}{}", "null"]
        let claims = [
            context.with("exp", nil), context.with("iat", "x"), context.with("context_token", nil),
            context.with("type", nil), context.with("type", "code"), .code(key, ["07"]),
            context.with("response", "accepted"), context.with("exp", 0),
        ]
        return try payloads.map { try context.message(payload: $0) }
            + claims.map { try $0.message() }
    }

    /// Genuine, of a type that doesn't exist yet.
    func unknownPrompts() throws -> [PushMessage] {
        try ["biometric", "PROMPT", "code2"].enumerated().map { index, type in
            try ContextJWT.code(key, token: "u-\(index)").with("type", .string(type)).message()
        }
    }

    /// Genuine, but late.
    func expired() throws -> [PushMessage] {
        try [ContextJWT(key, token: "e-0"), .code(key, token: "e-1")].map {
            try $0.with("iat", 1_702_240_000).with("exp", 1_702_243_000).message()
        }
    }

    /// All of them, as the conformance suite takes them.
    func all() throws -> ProviderFixtures {
        var fixtures = ProviderFixtures(genuine: try genuine())
        fixtures.forged = try forged()
        fixtures.foreign = try Self.foreign()
        fixtures.malformed = try malformed()
        fixtures.unknownPrompts = try unknownPrompts()
        fixtures.expired = try expired()
        let claims = try [
            ContextJWT.full(key, token: "s-0"), .code(key, token: "s-1"),
            ContextJWT.code(key, token: "s-2").with("type", "biometric"),
        ].map { JSON.object($0.claims) }
        let key = key
        fixtures.signing = .init(claims: claims) { (claims) throws(PushError) in
            do {
                return try ContextJWT(key).message(payload: claims.text)
            } catch {
                throw PushError(.malformed, "It can't be signed.", underlying: error)
            }
        }
        return fixtures
    }
}

import Foundation
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting

/// Messages of every kind that a provider meets, for the enrollment of the worked examples. No two
/// genuine ones are about the same challenge.
struct Fixtures {
    private static let names = ["u", "c", "k", "n", "l", "t", "i", "d", "m", "p", "x"]

    /// What AM's generations send.
    static func genuine() throws -> [PushMessage] {
        let pushes: [AMPush] = [
            AMPush(.a), AMPush(.module), AMPush(.b), AMPush(.c), .challenge(), .challenge(nil),
            .biometric,
        ]
        let token = AMPush().about(sha256([1])).token
        return try pushes.enumerated().map { index, push in
            try push.about(sha256([2, UInt8(index)])).with(messageID: "AUTHENTICATE:\(index)")
                .message()
        } + [PushMessage(fcm: ["messageId": WorkedExample.messageID, "message": token])]
    }

    /// AM's form, but not AM's doing.
    static func forged() throws -> [PushMessage] {
        let vectors = try Vectors()
        let examples = try ["neg_tampered", "neg_hs384", "neg_none", "neg_wrongkey"].map {
            try AMPush.message(vectors($0))
        }
        // Another push's signature under each claim's change.
        let parts = AMPush.challenge().token.split(separator: ".")
        let changed = try names.map { name in
            let claims = AMPush.challenge().with(name, name == "k" ? "default" : "0").claims
            let body = base64url(JSON.object(claims).text)
            return try AMPush.message("\(parts[0]).\(body).\(parts[2])")
        }
        let foreignKey = try AMPush().signed(by: Array(repeating: 7, count: 32)).message()
        let foreignName = try AMPush().with("u", "FA6A6C1C-3B3B-4B8B-9E0E-000000000000").message()
        return examples + changed + [foreignKey, foreignName]
    }

    /// The app's own, and other vendors'.
    static func foreign() throws -> [PushMessage] {
        try [
            "{}", #"{"aps":{"alert":"Hello","badge":3}}"#, #"{"acme":{"id":"1"},"aps":{}}"#,
            #"{"aps":{"content-available":1},"data":"x"}"#,
            #"{"aps":{"messageId":"AUTHENTICATE:1"}}"#,
        ].map { try PushMessage(json: Data($0.utf8)) } + [
            PushMessage(fcm: ["type": "acme", "message": "Hello"]),
            PushMessage(text: AMPush().token, by: .scanned),
        ]
    }

    /// AM's form, but unreadable.
    static func malformed() throws -> [PushMessage] {
        let tokens = ["x", "a.b", "a.b.c", "a.b.c.d", "..", "\u{1F600}.\u{1F600}.\u{1F600}"]
        let claims: [AMPush] = [
            AMPush().with("c", nil), AMPush().with("c", ""), AMPush().with("u", nil),
            AMPush().with("t", "soon"), AMPush().with("t", "0"), AMPush().with(header: "[]"),
        ]
        return try tokens.map { try AMPush.message($0) } + claims.map { try $0.message() }
    }

    /// Genuine, of a type that doesn't exist yet.
    static func unknownPrompts() throws -> [PushMessage] {
        let kinds: [JSON] = ["swipe", "", "default2", .null, 7, ["default"]]
        return try kinds.enumerated().map { index, kind in
            try AMPush(.d, kind: "swipe", numbers: "17,42,86").with("k", kind)
                .about(sha256([3, UInt8(index)])).message()
        }
    }

    /// Genuine, but late.
    static func expired() throws -> [PushMessage] {
        try [AMPush(.b), .challenge(), .biometric].enumerated().map { index, push in
            try push.with("i", "1759990000000").about(sha256([4, UInt8(index)])).message()
        }
    }

    /// All of them, as the conformance suite takes them.
    static func all() throws -> ProviderFixtures {
        var fixtures = ProviderFixtures(genuine: try genuine())
        fixtures.forged = try forged()
        fixtures.foreign = try foreign()
        fixtures.malformed = try malformed()
        fixtures.unknownPrompts = try unknownPrompts()
        fixtures.expired = try expired()
        let claims = [AMPush.challenge(), .challenge(nil), .biometric, AMPush(.d, kind: "swipe")]
            .map { JSON.object($0.claims) }
        fixtures.signing = .init(claims: claims) { (claims) throws(PushError) in
            // A server that knows types always says one. Without a type it is an old server's
            // push, which may simply be approved.
            guard let members = claims.object, members["k"] != nil else {
                throw PushError(.invalidArgument, "AM doesn't sign that.")
            }
            var push = AMPush()
            push.claims = members
            do {
                return try push.message()
            } catch {
                throw PushError(.malformed, "It is no push.", underlying: error)
            }
        }
        return fixtures
    }
}

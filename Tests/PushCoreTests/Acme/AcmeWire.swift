import Foundation
import PushCore

/// The wire of the fictional vendor Acme, with a toy MAC that protects nothing but tests.
enum AcmeWire {
    static func key(of account: String) -> String { "key-\(account)" }

    static func mac(_ text: String, key: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in (key + "|" + text + "|" + key).utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }

    /// A push whose claims are signed for an account; more members ride beside the signature.
    static func push(
        _ claims: JSON, to account: String, key: String? = nil, beside: JSON.Object = [:]
    ) throws(PushError) -> PushMessage {
        try push(text: claims.text, to: account, key: key, beside: beside)
    }

    /// A push of signed text that needn't be JSON.
    static func push(
        text: String, to account: String, key: String? = nil, beside: JSON.Object = [:]
    ) throws(PushError) -> PushMessage {
        var members: JSON.Object = [
            "acme": .string(text), "to": .string(account),
            "mac": .string(mac(text, key: key ?? self.key(of: account))),
        ]
        for (name, value) in beside.members { members[name] = value }
        return try PushMessage(json: JSON.object(members).data)
    }

    static func ask(
        _ id: String, to account: String = "ada", prompt: String = "approve",
        issued: Date? = nil, expiry: Date? = nil
    ) throws(PushError) -> PushMessage {
        try push(claims(id, prompt: prompt, issued: issued, expiry: expiry), to: account)
    }

    /// What the push of a challenge says, and the server's list of what waits.
    static func claims(
        _ id: String, prompt: String = "approve", issued: Date? = nil, expiry: Date? = nil
    ) -> JSON {
        [
            "kind": "ask", "id": .string(id), "prompt": .string(prompt), "title": "Log in?",
            "issued": seconds(issued), "expiry": seconds(expiry),
        ]
    }

    private static func seconds(_ date: Date?) -> JSON {
        date.map { .integer(Int64($0.timeIntervalSince1970)) } ?? .null
    }

    static func cancel(
        _ id: String, to account: String = "ada", _ reason: Withdrawal.Reason = .cancelled
    ) throws(PushError) -> PushMessage {
        try push(
            ["kind": "cancel", "id": .string(id), "reason": .string(reason.rawValue)],
            to: account)
    }

    static func future(
        _ id: String, to account: String = "ada", withdraws: Bool, until expiry: Date? = nil
    ) throws(PushError) -> PushMessage {
        let seconds = expiry.map { JSON.integer(Int64($0.timeIntervalSince1970)) }
        return try push(
            [
                "kind": "hologram", "id": .string(id), "withdraws": .bool(withdraws),
                "expiry": seconds ?? .null,
            ], to: account)
    }

    /// A message that proves nothing: `challenges`, `finished`, `enrollment` or `inbox`.
    static func hint(
        _ topic: String, _ name: String = "", at accounts: [String] = ["ada"]
    ) throws(PushError) -> PushMessage {
        let body: JSON = [
            "acme-hint": .string(topic), "name": .string(name),
            "at": .array(accounts.map(JSON.string)),
        ]
        return try PushMessage(json: body.data)
    }
}

/// What Acme keeps secret: the key, and after a sign the last counter it used.
struct AcmeKey {
    let key: String
    var counter: Int64

    init(_ credential: Credential) {
        let text = credential.secret.copiedText()
        let parts = text.split(separator: "#")
        key = parts.first.map(String.init) ?? ""
        counter = parts.dropFirst().first.flatMap { Int64($0) } ?? 0
    }

    var secret: Secret { Secret(copying: "\(key)#\(counter)") }
}
